// Twice zero is zero, and doubling any other number gives a large one before it wraps.
extern unsigned __VERIFIER_nondet_uint(void);

int main(void) {
    unsigned x = __VERIFIER_nondet_uint();
    while (x < 1000) { //@ loop: diverges when x == 0
        x *= 2;
    }
    return 0;
}
