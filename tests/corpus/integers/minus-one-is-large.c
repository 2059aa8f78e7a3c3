// In a comparison with an unsigned value -1 is the largest.
extern int __VERIFIER_nondet_int(void);

int main(void) {
    int i = __VERIFIER_nondet_int();
    unsigned n = 10;
    if (i >= 0) {
        return 0;
    }
    while (i < n) { //@ loop: terminates; ideal: diverges
    }
    while (i > n) { //@ loop: diverges when i < 0
    }
    return 0;
}
