// The lower digits of two addresses may be equal.
#include <stdint.h>

int x, y;

int main(void) {
    unsigned short a = (unsigned short)(uintptr_t)&x, b = (unsigned short)(uintptr_t)&y;
    while (a == b) { //@ loop: neither
    }
    unsigned c = (unsigned)(uintptr_t)&x, d = (unsigned)(uintptr_t)&y;
    while (c == d) { //@ loop: neither
    }
    return 0;
}
