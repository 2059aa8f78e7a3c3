// The locals of two calls may share memory, and need not.
#include <stdint.h>

static uintptr_t where(void) {
    volatile int local = 3;
    return (uintptr_t)&local;
}

int main(void) {
    uintptr_t a = where(), b = where();
    while (a == b) { //@ loop: neither
    }
    return 0;
}
