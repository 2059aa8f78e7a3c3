// There is a float that differs from itself.
extern float __VERIFIER_nondet_float(void);

int main(void) {
    float f = __VERIFIER_nondet_float();
    while (f != f) { //@ loop: diverges when f is not a number
    }
    return 0;
}
