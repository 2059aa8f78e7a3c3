/* An iteration that converges: from some point on the step no longer changes the value. */
//@ attach: proved
static volatile double target = 2.0;

int main(void) {
    double x = 1.0;
    double two = target;
    while (x * x != two)
        x = (x + two / x) / 2;
    return 0;
}
