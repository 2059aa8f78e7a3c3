/* A counter that is never zero until it wraps. */
//@ attach -O0: unbounded
static volatile unsigned long long n = 1;

int main(void) {
    while (n > 0)
        n = n + 1;
    return 0;
}
