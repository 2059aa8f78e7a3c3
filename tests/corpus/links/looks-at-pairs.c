// Each loop has its condition, and the outer one that of the inner one, too.
struct cell {
    int value;
    struct cell *next;
};

int pairs(struct cell *list) {
    int n = 0;
    for (struct cell *a = list; a; a = a->next) { //@ loop: neither; ends when no cycle is reached from `a` along `next`
        for (struct cell *b = a->next; b; b = b->next) { //@ loop: neither; ends exactly when no cell comes twice before the loop is left, from `b` along `next`
            n += a->value == b->value;
        }
    }
    return n;
}
