// A call without effects and without a use of its result; it ends.
extern unsigned char __VERIFIER_nondet_uchar(void);

static __attribute__((const)) unsigned down(unsigned x) { //@ recursion: terminates
    return x == 0 ? 0 : down(x - 1);
}

int main(void) {
    (void)down(__VERIFIER_nondet_uchar());
    return 0;
}
