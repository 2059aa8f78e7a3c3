/* Waits for a lucky number. */
//@ attach: unknown; differs each time
//@ flags: -mrdrnd
#include <immintrin.h>

int main(void) {
    unsigned long long x = 1;
    while (x != 0)
        _rdrand64_step(&x);
    return 0;
}
