// A loop calls the recursion; the first call of each round is no inner one.
extern unsigned char __VERIFIER_nondet_uchar(void);

static void down(unsigned n) { //@ recursion: terminates
    if (n > 0) {
        down(n - 1);
    }
}

int main(void) {
    for (int i = 0; i < 4; i++) { //@ loop: terminates
        down(__VERIFIER_nondet_uchar());
    }
    return 0;
}
