// The argument of the outer call is the result of the inner one, of which nothing need be known.
extern unsigned char __VERIFIER_nondet_uchar(void);

static unsigned ackermann(unsigned m, unsigned n) { //@ recursion: terminates
    if (m == 0) {
        return n + 1;
    }
    return ackermann(m - 1, n == 0 ? 1 : ackermann(m, n - 1));
}

int main(void) {
    unsigned m = __VERIFIER_nondet_uchar();
    return ackermann(m, __VERIFIER_nondet_uchar()) == 9;
}
