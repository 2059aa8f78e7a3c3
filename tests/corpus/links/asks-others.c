// Nobody knows what the function does with the list.
struct cell {
    int value;
    struct cell *next;
};
extern void visit(struct cell *);

void each(struct cell *c) {
    while (c) { //@ loop: neither; ends when no cycle is reached from `c` along `next`, and `visit` leaves the links ahead as they are
        visit(c);
        c = c->next;
    }
}
