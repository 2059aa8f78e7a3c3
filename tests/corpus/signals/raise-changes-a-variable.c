// The handler runs within `raise`.
//@ native: hangs
#include <signal.h>

static int n;

static void handler(int number) {
    n = number == SIGUSR1;
}

int main(void) {
    volatile int sink = 0;
    signal(SIGUSR1, handler);
    raise(SIGUSR1);
    while (n == 1) sink = 1; //@ loop: diverges; tool everywhere: unknown -- handlers are not followed
    return 0;
}
