// The loops compute with no signed number themselves. What they compare was computed before, and is another number where it wraps.
extern int __VERIFIER_nondet_int(void);

int main(void) {
    int n = __VERIFIER_nondet_int();
    int m = __VERIFIER_nondet_int();
    if (n <= 0) {
        int q = -n;
        while (q < 0) { //@ loop: neither; wrap: diverges; ideal: terminates
            if (m == 17) {
                break;
            }
        }
    }
    if (n > 0 && m > 0) {
        if (n + m < 0) {
            while (n != 0) { //@ loop: neither; wrap: diverges; ideal: terminates; absent
            }
        }
    }
    return 0;
}
