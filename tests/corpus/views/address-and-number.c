// The bits of -1 are the last address.
union word {
    void *address;
    long number;
};

void compare(union word *u, unsigned long x, unsigned n) {
    while (n) { //@ loop: diverges
        u->number = -1;
        if (u->address != (void *)x) {
            n--;
        }
    }
}
