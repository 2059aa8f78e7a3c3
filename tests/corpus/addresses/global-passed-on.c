// The same address, however it came here, is equal to itself.
//@ native: hangs
#include <stdint.h>

int x;

int main(void) {
    uintptr_t u = (uintptr_t)&x;
    int *p = (int *)u;
    while (p == &x) { //@ loop: diverges
    }
    return 0;
}
