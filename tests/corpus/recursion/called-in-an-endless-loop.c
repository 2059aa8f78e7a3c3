// Each recursion ends, and the loop that calls it does not.
extern unsigned char __VERIFIER_nondet_uchar(void);

static void down(unsigned n) { //@ recursion: terminates
    if (n > 0) {
        down(n - 1);
    }
}

int main(void) {
    while (1) { //@ loop: diverges
        down(__VERIFIER_nondet_uchar());
    }
}
