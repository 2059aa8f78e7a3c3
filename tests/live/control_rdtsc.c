/* Waits for the cycle counter. */
//@ attach: unknown; differs each time
#include <x86intrin.h>

int main(void) {
    unsigned long long end = __rdtsc() + (1ull << 50);
    while (__rdtsc() < end)
        ;
    return 0;
}
