// A call without effects and without a use of its result; an odd argument passes zero.
extern unsigned char __VERIFIER_nondet_uchar(void);

static __attribute__((const)) unsigned down(unsigned x) { //@ recursion: diverges when x % 2 == 1
    return x == 0 ? 0 : down(x - 2);
}

int main(void) {
    (void)down(__VERIFIER_nondet_uchar());
    return 0;
}
