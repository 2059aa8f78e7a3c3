// From any state a list may be a ring.
struct node {
    struct node *next;
    int value;
};

int sum(const struct node *n) {
    unsigned all = 0;
    while (n) { //@ loop: neither; ends exactly when no cell comes twice before the loop is left, from `n` along `next`
        all += (unsigned)n->value;
        n = n->next;
    }
    return (int)all;
}

const struct node *nth(const struct node *n, unsigned k) {
    while (n && k > 0) { //@ loop: terminates
        n = n->next;
        k--;
    }
    return n;
}
