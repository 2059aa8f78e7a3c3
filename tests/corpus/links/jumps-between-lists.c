// It comes back to the other list each time.
struct cell {
    int stop;
    struct cell *next;
};

void hop(struct cell *a, struct cell *b) {
    struct cell *c = a;
    while (!c->stop) { //@ loop: diverges when a->stop == 0 && b->stop == 0
        c = c == a ? b : a;
    }
}
