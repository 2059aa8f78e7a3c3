// What is made again in the next round may be where the last one was.
#include <stdint.h>
#include <stdlib.h>

int main(void) {
    uintptr_t old = 0;
    for (int i = 0; i < 3; i++) { //@ loop: neither
        char *p = malloc(8);
        if (!p) {
            return 0;
        }
        while ((uintptr_t)p == old) { //@ loop: neither
        }
        old = (uintptr_t)p;
        free(p);
    }
    return 0;
}
