// Signal 0 is none.
//@ native: hangs
#include <signal.h>
#include <unistd.h>

int main(void) {
    volatile int sink = 0;
    kill(getpid(), 0);
    for (;;) sink = 1; //@ loop: diverges
}
