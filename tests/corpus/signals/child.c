// The end of a child is a signal to its parent.
//@ native: ends
#include <signal.h>
#include <unistd.h>

static void handler(int number) {
    _exit(number == 0);
}

int main(void) {
    volatile int sink = 0;
    signal(SIGCHLD, handler);
    if (fork() == 0) _exit(0);
    for (;;) sink = 1; //@ loop: terminates; tool everywhere: unknown -- handlers are not followed
}
