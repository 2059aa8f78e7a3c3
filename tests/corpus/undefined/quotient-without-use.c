// The quotient is overwritten before anything uses it; the division by zero ends the first round all the same.
int main(void) {
    int zero = 0, t = 7;
    for (;;) { //@ loop: terminates
        t = 7 / zero;
        t = 1;
    }
}
