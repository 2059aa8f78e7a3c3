// The loop follows a list by a global pointer, and the skipped call sets it back.
struct node {
    struct node *next;
};

static struct node first, second;
static struct node *at;

static void walk(int n) { //@ recursion: diverges; tool everywhere: unknown -- where a recursive call returns to, and with which locals, is not followed
    if (n == 0) {
        at = &second;
        return;
    }
    for (at = &first; at; at = at->next) { //@ loop: diverges; tool everywhere: unknown -- where a recursive call returns to, and with which locals, is not followed
        walk(n - 1);
    }
}

int main(void) {
    second.next = &first;
    walk(1);
    return 0;
}
