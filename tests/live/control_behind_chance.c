/* Ends by chance, or comes to an endless loop: an emulator that throws its own dice must not believe them. */
//@ attach: unknown
//@ flags: -mrdrnd
#include <immintrin.h>

static volatile int work, flag;

int main(void) {
    for (long i = 0; i < 20000000000; i++)
        work = (int)i;
    unsigned long long chance = 0;
    _rdrand64_step(&chance);
    if (chance % 2)
        return 0;
    while (!flag)
        ;
    return 0;
}
