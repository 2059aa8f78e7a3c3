// A character may be a byte of a link; the object that it is written to has an end.
struct cell {
    struct cell *next;
};

void smear(struct cell *c, char *to) {
    while (c) { //@ loop: terminates
        *to++ = 0;
        c = c->next;
    }
}
