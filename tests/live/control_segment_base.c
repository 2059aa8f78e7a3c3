/* The base of GS is the target's: not 0, as in most processes. */
//@ attach: unknown
//@ flags: -mfsgsbase
#include <immintrin.h>

static volatile long long n = 1ll << 44;

int main(void) {
    _writegsbase_u64(0x1000);
    do
        n--;
    while (n > 0 || _readgsbase_u64() == 0);
    return 0;
}
