/* The same with 64 bits. With optimisation small numbers are divided in 32 bits, and only these are observed. */
//@ attach -O0: proved
static volatile unsigned long divisor = 1000003;
static volatile long signed_divisor = 97;

int main(void) {
    for (unsigned long i = 0;; i += 12345) {
        if (i % divisor > 1000002 || (long)i % signed_divisor < -96)
            return 1;
    }
}
