// A new cell is put before the rest, and is visited next.
void *malloc(unsigned long);

struct cell {
    struct cell *next;
};

void grow(struct cell *c) {
    while (c) { //@ loop: neither
        struct cell *made = malloc(sizeof *made);
        if (!made) {
            return;
        }
        made->next = c->next;
        c->next = made;
        c = c->next;
    }
}
