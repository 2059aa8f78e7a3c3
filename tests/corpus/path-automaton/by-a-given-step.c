// Whether it ends is up to the step.
extern int __VERIFIER_nondet_int(void);

int main(void) {
    int x = __VERIFIER_nondet_int();
    int step = __VERIFIER_nondet_int();
    while (x > 0) { //@ loop: diverges
        x += step;
    }
    return 0;
}
