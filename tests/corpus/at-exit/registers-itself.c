// It is run, and registers itself, for ever.
//@ native: hangs
#include <stdlib.h>

static void again(void) { //@ recursion: diverges; absent; tool everywhere: unknown -- handlers are not followed
    atexit(again);
}

int main(void) {
    volatile int sink = 0;
    atexit(again);
    for (int i = 0; i < 3; i++) sink = i; //@ loop: terminates
    return 0;
}
