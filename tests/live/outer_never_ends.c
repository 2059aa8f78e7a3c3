/* The inner loop ends each time; the outer one never does. */
//@ attach: proved
static volatile int work;

int main(void) {
    volatile int limit = 10;
    for (int i = 0; i < limit;) {
        for (int j = 0; j < 25; j++)
            work = j;
    }
    return 0;
}
