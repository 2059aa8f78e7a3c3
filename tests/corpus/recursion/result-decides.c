// The loop counts down what the recursive call has returned, in steps of two.
extern unsigned char __VERIFIER_nondet_uchar(void);

static unsigned odd(unsigned n) { //@ recursion: diverges; tool everywhere: unknown -- a recursion has no summary: what it returns is unknown
    if (n == 0) {
        return 1;
    }
    unsigned k = odd(n - 1);
    while (k != 0) { //@ loop: diverges; tool everywhere: unknown -- a recursion has no summary: what it returns is unknown
        k -= 2;
    }
    return 1;
}

int main(void) {
    return odd(__VERIFIER_nondet_uchar()) == 1;
}
