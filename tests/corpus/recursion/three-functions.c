// Three functions call each other.
extern unsigned char __VERIFIER_nondet_uchar(void);

static void second(unsigned n);
static void third(unsigned n);

static void first(unsigned n) { //@ recursion: terminates; with third
    if (n > 0) {
        second(n);
    }
}

static void second(unsigned n) { //@ recursion: terminates; with first
    third(n);
    third(n);
}

static void third(unsigned n) { //@ recursion: terminates; with first
    first(n - 1);
}

int main(void) {
    first(__VERIFIER_nondet_uchar());
    return 0;
}
