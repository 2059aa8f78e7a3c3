// The counter falls, but a call in the body may not return: nothing is said of the loop around it.
struct node {
    struct node *next;
};

static int is_last(const struct node *n) {
    while (n->next) { //@ loop: diverges when the list has a cycle
        n = n->next;
    }
    return 1;
}

int all(const struct node *n, int count) {
    int found = 0;
    for (int i = 0; i < count; i++) { //@ loop: diverges when the list has a cycle
        found |= is_last(n);
    }
    return found;
}
