// A float chooses the step, and each step is one.
extern double __VERIFIER_nondet_double(void);

int main(void) {
    double d = __VERIFIER_nondet_double();
    int n = 10;
    while (n > 0) { //@ loop: terminates
        if (d > 0.5) {
            n -= 1;
        } else {
            n -= 2;
        }
    }
    return 0;
}
