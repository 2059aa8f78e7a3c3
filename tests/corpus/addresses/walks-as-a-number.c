// An integer that was an address walks on; what it hits is decided by addresses that nobody knows.
#include <stdint.h>
static int x;

int to_zero(void) {
    for (uintptr_t i = (uintptr_t)&x; i != 0; i -= 1ul << 33) { //@ loop: neither
    }
    return x;
}

int by_pages(void) {
    for (uintptr_t i = (uintptr_t)&x; i != 0; i -= 4096) { //@ loop: neither
    }
    return x;
}

int to_an_object(uintptr_t i) {
    for (; i != (uintptr_t)&x; i += 8) { //@ loop: neither
    }
    return x;
}

// That it is null shows in the number itself.
int test(int *p) {
    int n = 3;
    while ((uintptr_t)p != 0 && n > 0) { //@ loop: terminates
        n--;
    }
    return n;
}
