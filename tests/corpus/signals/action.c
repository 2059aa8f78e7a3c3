// The handler stands in a structure.
//@ native: hangs
#include <signal.h>
#include <string.h>

static int n;

static void handler(int number) {
    n = number == SIGUSR1;
}

int main(void) {
    volatile int sink = 0;
    struct sigaction action;
    memset(&action, 0, sizeof action);
    action.sa_handler = handler;
    sigaction(SIGUSR1, &action, 0);
    raise(SIGUSR1);
    while (n == 1) sink = 1; //@ loop: diverges; tool everywhere: unknown -- handlers are not followed
    return 0;
}
