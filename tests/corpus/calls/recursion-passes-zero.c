// Direct recursion in steps of two.
extern unsigned char __VERIFIER_nondet_uchar(void);

static unsigned half(unsigned n) { //@ recursion: diverges when n % 2 == 1
    if (n == 0) {
        return 0;
    }
    return 1 + half(n - 2);
}

int main(void) {
    return half(__VERIFIER_nondet_uchar()) == 3;
}
