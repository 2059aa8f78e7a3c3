/* A counter of either sign whose remainder is looked at, which is never that large. */
//@ flags: -fwrapv
//@ attach: proved
static volatile int divisor = -7, limit = 6, quotient;

int main(void) {
    for (int i = 0;; i -= 3) {
        quotient = i / divisor;
        if (i % divisor > limit || i % divisor < -limit)
            return 1;
    }
}
