// The links ahead are written through another pointer.
struct cell {
    struct cell *next;
};

void weave(struct cell *c, struct cell *other) {
    while (c) { //@ loop: diverges when c == c->next
        other->next = c;
        c = c->next;
    }
}
