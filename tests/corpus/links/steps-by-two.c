// One round follows one link or two.
struct cell {
    int skip;
    struct cell *next;
};

int count(struct cell *c) {
    int n = 0;
    while (c) { //@ loop: neither; ends exactly when no two iterations begin with `c` at one cell, along `next`
        if (c->skip && c->next) {
            c = c->next;
        }
        c = c->next;
        n++;
    }
    return n;
}
