/* Ends, after a few hours. */
//@ attach: unknown
static volatile int seen;

int main(void) {
    for (int i = 0; i < 2000000000; i++)
        for (int j = 0; j < 1000; j++)
            seen = j;
    return 0;
}
