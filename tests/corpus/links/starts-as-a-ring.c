// The ring is there from the beginning, and no caller brings it.
struct cell {
    struct cell *next;
};

static struct cell last;
static struct cell first = {&last};
static struct cell last = {&first};

void spin(void) {
    struct cell *c = &first;
    while (c) { //@ loop: diverges
        c = c->next;
    }
}
