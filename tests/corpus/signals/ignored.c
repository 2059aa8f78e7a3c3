// No handler runs.
//@ native: ends
#include <signal.h>

static int n;

int main(void) {
    volatile int sink = 0;
    signal(SIGUSR1, SIG_IGN);
    raise(SIGUSR1);
    while (n == 1) sink = 1; //@ loop: terminates
    return 0;
}
