// Division by zero ends the run, a large divisor makes the step zero.
extern int __VERIFIER_nondet_int(void);

int main(void) {
    int d = __VERIFIER_nondet_int();
    int n = 10;
    while (n > 0) { //@ loop: diverges when d > 100 || d < -100
        n -= 100 / d;
    }
    return 0;
}
