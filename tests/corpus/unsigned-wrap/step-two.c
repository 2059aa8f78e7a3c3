// An odd value that goes in steps of two never is zero, however often it wraps.
extern unsigned __VERIFIER_nondet_uint(void);

int main(void) {
    unsigned i = __VERIFIER_nondet_uint();
    while (i != 0) { //@ loop: diverges when i % 2 == 1
        i += 2;
    }
    return 0;
}
