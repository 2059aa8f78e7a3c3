// main makes the cycle itself: that is no matter of conditions.
struct cell {
    struct cell *next;
};

int main(void) {
    struct cell a, b;
    a.next = &b;
    b.next = &a;
    for (struct cell *c = &a; c; c = c->next) { //@ loop: diverges
    }
    return 0;
}
