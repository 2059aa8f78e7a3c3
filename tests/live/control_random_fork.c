/* One of two loops, by chance: the first ends, the second does not. Which one comes next is decided anew each time, so that nothing
   may be said about the second while the first is running. */
//@ attach: unknown
//@ flags: -mrdrnd
#include <immintrin.h>

static volatile int work, stuck;

int main(void) {
    for (;;) {
        for (int i = 0; i < 2000; i++)
            work = i;
        unsigned long long chance = 0;
        _rdrand64_step(&chance);
        if (chance < 1ull << 20)
            return 0;
    }
}
