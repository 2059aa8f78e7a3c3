// How an address is aligned beyond its type nobody knows.
#include <stdint.h>

char x;

int main(void) {
    while (__builtin_ctzl((uintptr_t)&x) == 0) { //@ loop: neither
    }
    while (__builtin_popcountl((uintptr_t)&x) == 1) { //@ loop: neither
    }
    while ((double)(uintptr_t)&x > 1e9) { //@ loop: neither
    }
    return 0;
}
