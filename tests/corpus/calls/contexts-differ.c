// One loop, called from two places: for one of them it ends, for the other it can hang.
extern unsigned char __VERIFIER_nondet_uchar(void);

static void walk(unsigned n, unsigned step) {
    while (n != 0) { //@ loop: diverges when n % 2 == 1; copies differ
        n -= step;
    }
}

int main(void) {
    unsigned n = __VERIFIER_nondet_uchar();
    walk(n, 1);
    walk(n, 2);
    return 0;
}
