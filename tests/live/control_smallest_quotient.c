/* The smallest number divided by -1 has no quotient: the processor ends the program there. */
//@ flags: -fwrapv
//@ attach -O0: unbounded
static volatile int divisor = -1, quotient;

int main(void) {
    for (int i = 0;; i--)
        quotient = i / divisor;
}
