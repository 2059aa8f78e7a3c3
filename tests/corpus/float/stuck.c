// From 2^24 on a float does not grow by one.
extern float __VERIFIER_nondet_float(void);

int main(void) {
    float x = 16777216.0f;
    float y = __VERIFIER_nondet_float();
    while (x < y) { //@ loop: diverges when y > 16777216.0f
        x += 1.0f;
    }
    return 0;
}
