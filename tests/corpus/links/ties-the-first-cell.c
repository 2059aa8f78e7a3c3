// What was given may be any list; it is made a ring here.
struct cell {
    struct cell *next;
};

void spin(struct cell *c) {
    if (c) {
        c->next = c;
    }
    while (c) { //@ loop: diverges when c != 0
        c = c->next;
    }
}
