// The outer loop counts, the list is its callee's.
struct cell {
    struct cell *next;
};

static int length(const struct cell *c) {
    int n = 0;
    for (; c; c = c->next) { //@ loop: neither; ends exactly when no cell comes twice before the loop is left, from `c` along `next`
        n++;
    }
    return n;
}

int all(struct cell *lists[], int count) {
    int n = 0;
    for (int i = 0; i < count; i++) { //@ loop: neither; ends when for the loop at line 8 of `length`
        n += length(lists[i]);
    }
    return n;
}
