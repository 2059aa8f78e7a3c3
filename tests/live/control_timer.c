/* A timer with a signal of its own choice ends it. */
//@ attach: unknown; timer
#include <signal.h>
#include <time.h>

static volatile sig_atomic_t done;

static void on_signal(int signal) {
    (void)signal;
    done = 1;
}

int main(void) {
    signal(SIGUSR1, on_signal);
    struct sigevent event = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGUSR1};
    timer_t timer;
    timer_create(CLOCK_MONOTONIC, &event, &timer);
    struct itimerspec when = {.it_value = {.tv_sec = 1000}};
    timer_settime(timer, 0, &when, 0);
    while (!done)
        ;
    return 0;
}
