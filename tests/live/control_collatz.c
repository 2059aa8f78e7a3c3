/* Counts how long a sequence takes for one number after another; it is left at a number that is never the last. */
//@ attach: unknown
static volatile unsigned long longest;

int main(void) {
    for (unsigned long start = 1; start < (1ul << 50); start++) {
        unsigned long n = start, steps = 0;
        while (n != 1) {
            n = n % 2 ? 3 * n + 1 : n / 2;
            steps++;
        }
        if (steps > longest)
            longest = steps;
    }
    return 0;
}
