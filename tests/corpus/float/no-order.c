// What is no number is neither less than zero nor at least zero.
int main(void) {
    double zero = 0.0;
    double d = zero / zero;
    while (!(d < 0.0) && !(d >= 0.0)) { //@ loop: diverges; tool ideal: unknown -- over the integers conversions of floating-point numbers take the solver too long
        d += 1.0;
    }
    return 0;
}
