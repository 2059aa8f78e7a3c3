// Direct recursion down to zero.
extern unsigned char __VERIFIER_nondet_uchar(void);

static unsigned factorial(unsigned n) { //@ recursion: terminates
    if (n == 0) {
        return 1;
    }
    return n * factorial(n - 1);
}

int main(void) {
    return factorial(__VERIFIER_nondet_uchar()) == 0;
}
