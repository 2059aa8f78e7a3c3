/* From a negative number to zero, as optimising compilers count. */
//@ attach: unknown
static volatile long up = -(1l << 60);

int main(void) {
    while (up != 0)
        up++;
    return 0;
}
