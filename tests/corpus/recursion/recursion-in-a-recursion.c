// The inner recursion calls the outer one, with less.
extern unsigned char __VERIFIER_nondet_uchar(void);

static void outer(unsigned n);

static void inner(unsigned n, unsigned k) { //@ recursion: terminates; with outer
    if (k > 0) {
        inner(n, k - 1);
        outer(n - 1);
    }
}

static void outer(unsigned n) { //@ recursion: terminates; with inner
    if (n > 0) {
        inner(n, n);
    }
}

int main(void) {
    outer(__VERIFIER_nondet_uchar());
    return 0;
}
