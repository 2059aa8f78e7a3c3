// Two functions call each other, down to zero.
extern unsigned char __VERIFIER_nondet_uchar(void);

static int odd(unsigned n);

static int even(unsigned n) { //@ recursion: terminates; with odd
    return n == 0 ? 1 : odd(n - 1);
}

static int odd(unsigned n) { //@ recursion: terminates; with even
    return n == 0 ? 0 : even(n - 1);
}

int main(void) {
    return even(__VERIFIER_nondet_uchar());
}
