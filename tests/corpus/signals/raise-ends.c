// The handler, which runs within `raise`, ends the program.
//@ native: ends
#include <signal.h>
#include <unistd.h>

static void handler(int number) {
    _exit(number == 0);
}

int main(void) {
    volatile int sink = 0;
    signal(SIGUSR1, handler);
    raise(SIGUSR1);
    for (;;) sink = 1; //@ loop: terminates; tool everywhere: unknown -- handlers are not followed
}
