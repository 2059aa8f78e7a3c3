// The sum is of floats, and what counts is an int.
extern double __VERIFIER_nondet_double(void);

int main(void) {
    double sum = 0.0;
    for (int i = 0; i < 100; i++) { //@ loop: terminates
        double d = __VERIFIER_nondet_double();
        sum = sum * 0.5 + d / 3.0;
    }
    return sum > 0.0;
}
