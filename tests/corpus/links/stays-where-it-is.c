// There is a way round that follows no link.
struct cell {
    int value;
    struct cell *next;
};

void wait_there(struct cell *c) {
    while (c) { //@ loop: diverges when c->value == 0
        if (c->value) {
            c = c->next;
        }
    }
}
