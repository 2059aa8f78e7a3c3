// A product and a sum may be rounded once, for both, or twice; then the result is zero.
int main(void) {
    float a = 1.0f + 1.1920929e-7f;
    float b = 1.0f - 1.1920929e-7f;
    float r = a * b + -1.0f;
    while (r == 0.0f) { //@ loop: neither
    }
    return 0;
}
