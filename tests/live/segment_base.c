/* The base of FS is where the thread's own data begins, with a pointer to itself. */
//@ attach: proved
//@ flags: -mfsgsbase
#include <immintrin.h>

int main(void) {
    unsigned long long self;
    unsigned half;
    do {
        __asm__ volatile("mov %%fs:0, %0" : "=r"(self));
        half = _readfsbase_u32();
    } while (_readfsbase_u64() == self && half == (unsigned)self);
    return 0;
}
