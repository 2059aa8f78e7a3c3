// Two blocks whose scopes do not overlap may share memory.
#include <stdint.h>

int main(void) {
    uintptr_t old;
    {
        volatile int a = 1;
        old = (uintptr_t)&a;
    }
    {
        volatile int b = 2;
        while ((uintptr_t)&b == old) { //@ loop: neither
        }
    }
    return 0;
}
