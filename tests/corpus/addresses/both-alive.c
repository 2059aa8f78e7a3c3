// Two objects that are there at one time have different addresses.
//@ native: ends
#include <stdlib.h>

int main(void) {
    char *p = malloc(8), *q = malloc(8);
    if (!p || !q) {
        return 0;
    }
    while (p == q) { //@ loop: terminates
    }
    free(p);
    free(q);
    return 0;
}
