// The program ends itself by a signal.
//@ native: ends
#include <signal.h>
#include <unistd.h>

int main(void) {
    volatile int sink = 0;
    kill(getpid(), SIGKILL);
    for (;;) sink = 1; //@ loop: terminates; tool everywhere: unknown -- signals are not followed
}
