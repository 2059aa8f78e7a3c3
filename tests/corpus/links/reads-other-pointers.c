// Only what leads to the next cell is a link.
extern int length(const char *);

struct cell {
    const char *name;
    struct cell *next;
};

int all(const struct cell *c) {
    int n = 0;
    for (; c; c = c->next) { //@ loop: neither; ends when no cycle is reached from `c` along `next`, and `length` leaves the links ahead as they are
        n += length(c->name);
    }
    return n;
}
