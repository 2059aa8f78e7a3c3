/* A process that shares the address space without being a thread sets the flag. */
//@ attach: unknown; shares the address space
#define _GNU_SOURCE
#include <sched.h>
#include <signal.h>
#include <sys/prctl.h>
#include <unistd.h>

static volatile int ready;
static char stack[65536] __attribute__((aligned(16)));

static int other(void *unused) {
    (void)unused;
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    sleep(1000);
    ready = 1;
    return 0;
}

int main(void) {
    clone(other, stack + sizeof stack, CLONE_VM | SIGCHLD, 0);
    while (!ready)
        ;
    return 0;
}
