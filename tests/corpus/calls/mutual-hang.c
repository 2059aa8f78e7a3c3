// Two functions call each other; one takes away what the other gives.
extern unsigned char __VERIFIER_nondet_uchar(void);

static int give(unsigned n);

static int take(unsigned n) { //@ recursion: diverges when n > 0; with give
    return n == 0 ? 0 : give(n - 1);
}

static int give(unsigned n) { //@ recursion: diverges when n > 0; with take
    return take(n + 1);
}

int main(void) {
    return take(__VERIFIER_nondet_uchar());
}
