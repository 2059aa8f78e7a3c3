// realloc may leave the object where it is, or not.
#include <stdint.h>
#include <stdlib.h>

int main(void) {
    char *p = malloc(8);
    if (!p) {
        return 0;
    }
    uintptr_t old = (uintptr_t)p;
    char *q = realloc(p, 4096);
    if (!q) {
        return 0;
    }
    while ((uintptr_t)q == old) { //@ loop: neither
    }
    while ((uintptr_t)q != old) { //@ loop: neither
    }
    return 0;
}
