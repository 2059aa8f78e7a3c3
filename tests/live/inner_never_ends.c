/* The inner loop is the one that hangs. */
//@ attach: proved
//@ line: 9
static volatile int work;

int main(void) {
    for (int i = 0; i < 10; i++) {
        int left = 10 - i;
        while (left != 0)
            left -= (i == 4) ? 0 : 1, work = left;
    }
    return 0;
}
