// n falls to its own lowest byte.
extern unsigned __VERIFIER_nondet_uint(void);

int main(void) {
    unsigned n = __VERIFIER_nondet_uint();
    unsigned char low = (unsigned char)n;
    while (low != n) { //@ loop: terminates; tool everywhere: unknown -- that the lowest byte stays the same needs an invariant over bits
        n -= 256;
    }
    return 0;
}
