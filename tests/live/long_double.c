/* The same with the x87 unit. */
//@ attach: proved
static volatile long double target = 2.0L;

int main(void) {
    long double x = 1.0L;
    long double two = target;
    while (x * x != two)
        x = (x + two / x) / 2;
    return 0;
}
