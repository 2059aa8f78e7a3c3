// Halving comes to zero; in the real numbers it would not.
int main(void) {
    double d = 1.0;
    while (d > 0.0) { //@ loop: terminates; tool everywhere: unknown -- no measure over floating-point numbers
        d /= 2.0;
    }
    return 0;
}
