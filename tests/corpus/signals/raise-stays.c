// The handler does not come back, in the first round.
//@ native: hangs
#include <signal.h>

static void handler(int number) {
    volatile int sink = number;
    for (;;) sink = 1; //@ loop: diverges; absent; tool everywhere: unknown -- handlers are not followed
}

int main(void) {
    signal(SIGUSR1, handler);
    for (int i = 0; i < 3; i++) raise(SIGUSR1); //@ loop: diverges; tool everywhere: unknown -- handlers are not followed
    return 0;
}
