/* Counts down to zero, and up to zero: that takes long, and is no overflow. */
//@ attach: unknown
static volatile unsigned long down = 1ul << 60;

int main(void) {
    while (down != 0)
        down--;
    return 0;
}
