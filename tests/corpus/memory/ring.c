// A list whose last node points at the first.
struct node {
    struct node *next;
};

int main(void) {
    struct node b = {0};
    struct node a = {&b};
    b.next = &a;
    for (struct node *p = &a; p; p = p->next) { //@ loop: diverges
    }
    return 0;
}
