// The counter falls, but a call in the body may not return: its condition is that of the loop around it, too.
struct node {
    struct node *next;
};

static int is_last(const struct node *n) {
    while (n->next) { //@ loop: neither; ends exactly when no cell comes twice before the loop is left, from `n` along `next`
        n = n->next;
    }
    return 1;
}

int all(const struct node *n, int count) {
    int found = 0;
    for (int i = 0; i < count; i++) { //@ loop: neither; ends when for the loop at line 7 of `is_last`
        found |= is_last(n);
    }
    return found;
}
