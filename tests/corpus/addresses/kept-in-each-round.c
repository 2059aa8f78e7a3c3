// What was not freed is there still.
//@ native: ends
#include <stdlib.h>

int main(void) {
    char *old = 0;
    for (int i = 0; i < 3; i++) { //@ loop: terminates; tool everywhere: unknown -- the inner loop in the third round
        char *p = malloc(8);
        if (!p) {
            return 0;
        }
        while (p == old) { //@ loop: terminates
        }
        old = p;
    }
    return 0;
}
