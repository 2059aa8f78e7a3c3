// The same address, however it came here, is equal to itself.
//@ native: hangs
#include <stdint.h>
#include <stdlib.h>

static uintptr_t same(uintptr_t u) {
    return u;
}

int main(void) {
    char *p = malloc(8);
    if (!p) {
        return 0;
    }
    uintptr_t u = same((uintptr_t)p);
    while ((char *)u == p) { //@ loop: diverges; tool everywhere: unknown -- that malloc succeeds is not the input's choice
    }
    return 0;
}
