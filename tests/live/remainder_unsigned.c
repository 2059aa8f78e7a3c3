/* A counter without end whose remainder is looked at, which is never that large. */
//@ attach: proved
static volatile unsigned divisor = 5, limit = 5, quotient;

int main(void) {
    for (unsigned i = 0;; i++) {
        quotient = i / divisor;
        if (i % divisor > limit)
            return 1;
    }
}
