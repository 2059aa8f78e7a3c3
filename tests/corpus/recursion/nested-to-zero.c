// The argument of the outer call is what the inner one returns, and that is zero.
extern unsigned char __VERIFIER_nondet_uchar(void);

static unsigned nested(unsigned n) { //@ recursion: terminates; tool everywhere: unknown -- a recursion has no summary: what it returns is unknown
    return n == 0 ? 0 : nested(nested(n - 1));
}

int main(void) {
    return nested(__VERIFIER_nondet_uchar()) == 1;
}
