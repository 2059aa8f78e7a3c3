// main makes the list, and it has an end.
struct cell {
    struct cell *next;
};

int main(void) {
    struct cell a, b;
    a.next = &b;
    b.next = 0;
    for (struct cell *c = &a; c; c = c->next) { //@ loop: terminates
    }
    return 0;
}
