// A list ends if it has no cycle, and nothing else in the loop ends it.
struct cell {
    int value;
    struct cell *next;
};

unsigned sum(const struct cell *head) {
    unsigned all = 0;
    for (const struct cell *c = head; c; c = c->next) { //@ loop: neither; ends exactly when no cell comes twice before the loop is left, from `c` along `next`
        all += (unsigned)c->value;
    }
    return all;
}
