// A timer ends the program.
//@ native: ends
#include <sys/time.h>

int main(void) {
    volatile int sink = 0;
    struct itimerval in = {{0, 0}, {0, 100000}};
    setitimer(ITIMER_REAL, &in, 0);
    for (;;) sink = 1; //@ loop: terminates; tool everywhere: unknown -- the environment says when the timer goes off
}
