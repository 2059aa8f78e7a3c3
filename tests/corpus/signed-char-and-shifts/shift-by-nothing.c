// A shift by zero is no step.
extern unsigned __VERIFIER_nondet_uint(void);

int main(void) {
    unsigned x = __VERIFIER_nondet_uint();
    unsigned by = __VERIFIER_nondet_uint() & 3;
    while (x != 0) { //@ loop: diverges when by == 0 && x != 0
        x >>= by;
    }
    return 0;
}
