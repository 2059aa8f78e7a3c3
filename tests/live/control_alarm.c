/* A timer's signal handler ends it. */
//@ attach: unknown; SIGALRM
#include <signal.h>
#include <unistd.h>

static volatile sig_atomic_t done;

static void on_alarm(int signal) {
    (void)signal;
    done = 1;
}

int main(void) {
    signal(SIGALRM, on_alarm);
    alarm(1000);
    while (!done)
        ;
    return 0;
}
