// What is weak may be replaced when the program is linked, and what is here may stay: neither is known.
static void nothing(void) {}
void hook(void) __attribute__((weak, alias("nothing")));
unsigned watched = 3;
void hooked(void) {
    while (watched > 0) { //@ loop: neither
        watched--;
        hook();
    }
}

unsigned counter = 3;
extern unsigned behind __attribute__((weak, alias("counter")));
void counted(void) {
    while (counter > 0) { //@ loop: neither
        behind--;
    }
}

// The library has a function of this name, which leaves `tries` alone; this one does not.
unsigned tries = 3;
__attribute__((weak)) int isatty(int fd) {
    tries = 5;
    return fd;
}
void asked(void) {
    while (tries > 0) { //@ loop: neither
        tries--;
        isatty(0);
    }
}

static void something(void) {}
void strong(void) __attribute__((alias("something")));
void called(unsigned n) {
    while (n > 0) { //@ loop: terminates
        n--;
        strong();
    }
}

void spins(unsigned n) {
    while (n > 0) { //@ loop: diverges when n > 0
        strong();
    }
}
