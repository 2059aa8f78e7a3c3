// A local of the body may be where that of the last round was.
#include <stdint.h>

int main(void) {
    uintptr_t old = 0;
    for (int i = 0; i < 3; i++) { //@ loop: neither
        volatile int local = i;
        while ((uintptr_t)&local == old) { //@ loop: neither
        }
        old = (uintptr_t)&local;
    }
    return 0;
}
