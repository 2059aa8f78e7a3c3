/* The handler of SIGCHLD ends it, when the child does. */
//@ attach: proved
//@ conditions: signal
//@ headline: unless the handler of SIGCHLD writes `ended`
#include <signal.h>
#include <sys/prctl.h>
#include <unistd.h>

static volatile sig_atomic_t ended;

static void on_child(int signal) {
    (void)signal;
    ended = 1;
}

int main(void) {
    signal(SIGCHLD, on_child);
    if (fork() == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        sleep(1000);
        _exit(0);
    }
    while (!ended)
        ;
    return 0;
}
