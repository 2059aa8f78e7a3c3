// What runs at exit does not come back.
//@ native: hangs
#include <stdlib.h>

static void stay(void) {
    volatile int sink = 0;
    for (;;) sink = 1; //@ loop: diverges; absent; tool everywhere: unknown -- handlers are not followed
}

int main(void) {
    volatile int sink = 0;
    atexit(stay);
    for (int i = 0; i < 3; i++) sink = i; //@ loop: terminates
    return 0;
}
