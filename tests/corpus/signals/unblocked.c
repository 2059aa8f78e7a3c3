// What was raised while it was blocked comes when it is not any more.
//@ native: hangs
#include <signal.h>

static volatile sig_atomic_t n;

static void handler(int number) {
    n = number == SIGUSR1;
}

int main(void) {
    volatile int sink = 0;
    sigset_t set, old;
    signal(SIGUSR1, handler);
    sigemptyset(&set);
    sigaddset(&set, SIGUSR1);
    sigprocmask(SIG_BLOCK, &set, &old);
    raise(SIGUSR1);
    n = 0;
    sigprocmask(SIG_SETMASK, &old, 0);
    while (n == 1) sink = 1; //@ loop: diverges; tool everywhere: unknown -- handlers are not followed
    return 0;
}
