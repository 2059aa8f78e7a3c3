// Each is run, and registers the other one, for ever.
//@ native: hangs
#include <stdlib.h>

static void second(void);

static void first(void) { //@ recursion: diverges; absent; tool everywhere: unknown -- handlers are not followed
    atexit(second);
}

static void second(void) { //@ recursion: diverges; absent; tool everywhere: unknown -- handlers are not followed
    atexit(first);
}

int main(void) {
    volatile int sink = 0;
    atexit(first);
    for (int i = 0; i < 3; i++) sink = i; //@ loop: terminates
    exit(0);
}
