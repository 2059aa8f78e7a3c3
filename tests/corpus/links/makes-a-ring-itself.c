// The list is the function's own: its callers can do nothing about the ring.
struct cell {
    struct cell *next;
};

void spin(void) {
    struct cell a;
    a.next = &a;
    struct cell *c = &a;
    while (c) { //@ loop: diverges
        c = c->next;
    }
}
