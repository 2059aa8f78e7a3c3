// The second object may be where the first one was.
#include <stdint.h>
#include <stdlib.h>

int main(void) {
    char *p = malloc(8);
    if (!p) {
        return 0;
    }
    uintptr_t old = (uintptr_t)p;
    free(p);
    char *q = malloc(8);
    if (!q) {
        return 0;
    }
    while ((uintptr_t)q == old) { //@ loop: neither
    }
    return 0;
}
