// The link is changed before it is followed: no list makes that end.
struct cell {
    struct cell *next;
};

void spin(struct cell *c) {
    while (c) { //@ loop: diverges
        c->next = c;
        c = c->next;
    }
}
