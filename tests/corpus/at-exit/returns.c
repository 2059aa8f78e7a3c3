// What runs at exit runs after the loops, not before.
//@ native: ends
#include <stdlib.h>

static int n;

static void once(void) {
    n = 1;
}

int main(void) {
    volatile int sink = 0;
    atexit(once);
    while (n == 1) sink = 1; //@ loop: terminates
    return 0;
}
