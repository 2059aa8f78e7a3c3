/* There is a handler, but its signal is blocked, and nothing in the loop lets it through. */
//@ attach: proved
#include <signal.h>

static volatile sig_atomic_t done;

static void on_signal(int signal) {
    (void)signal;
    done = 1;
}

int main(void) {
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGUSR1);
    sigprocmask(SIG_BLOCK, &set, 0);
    signal(SIGUSR1, on_signal);
    while (!done)
        ;
    return 0;
}
