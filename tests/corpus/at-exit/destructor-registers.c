// A destructor registers what is run then.
//@ native: hangs
#include <stdlib.h>

static void again(void) { //@ recursion: diverges; absent; tool everywhere: unknown -- handlers are not followed
    atexit(again);
}

__attribute__((destructor)) static void last(void) { //@ recursion: diverges; absent; tool everywhere: unknown -- handlers are not followed
    again();
}

int main(void) {
    volatile int sink = 0;
    for (int i = 0; i < 3; i++) sink = i; //@ loop: terminates
    return 0;
}
