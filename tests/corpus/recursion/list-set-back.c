// The loop follows a list by a global pointer, and the skipped call sets it back.
struct node {
    struct node *next;
};

static struct node first, second;
static struct node *at;

static void walk(int n) { //@ recursion: diverges
    if (n == 0) {
        at = &second;
        return;
    }
    for (at = &first; at; at = at->next) { //@ loop: diverges
        walk(n - 1);
    }
}

int main(void) {
    second.next = &first;
    walk(1);
    return 0;
}
