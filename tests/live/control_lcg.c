/* A generator with the full period: it meets every number, this one too. */
//@ attach: unknown
#include <stdint.h>

int main(void) {
    uint64_t x = 1;
    while (x != 12345)
        x = x * 6364136223846793005u + 1442695040888963407u;
    return 0;
}
