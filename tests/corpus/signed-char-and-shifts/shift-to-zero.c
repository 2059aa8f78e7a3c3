// An unsigned value is shifted out, to the right and to the left.
extern unsigned __VERIFIER_nondet_uint(void);

int main(void) {
    unsigned x = __VERIFIER_nondet_uint();
    unsigned y = x;
    while (x != 0) { //@ loop: terminates
        x >>= 1;
    }
    while (y != 0) { //@ loop: terminates; tool everywhere: unknown -- a shift to the left needs a measure over bits
        y <<= 1;
    }
    return 0;
}
