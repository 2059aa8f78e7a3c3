/* Ends after 2^44 iterations. */
//@ attach: unknown
static volatile long seen;

int main(void) {
    for (long i = 0; i < (1L << 44); i++)
        seen = i;
    return 0;
}
