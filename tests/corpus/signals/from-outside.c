// Nothing in the program raises a signal: that none comes is an assumption.
//@ native: hangs
#include <signal.h>
#include <unistd.h>

static void handler(int number) {
    _exit(number == 0);
}

int main(void) {
    volatile int sink = 0;
    signal(SIGINT, handler);
    for (;;) sink = 1; //@ loop: diverges
}
