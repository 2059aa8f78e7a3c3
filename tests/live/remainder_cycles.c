/* A remainder that comes back after three iterations, beside a counter that does not. */
//@ attach: proved
int main(void) {
    unsigned x = 1;
    unsigned y = 0;
    while (x != 3 && y != 7) {
        x = (x * 2) % 7;
        y += 2;
    }
    return 0;
}
