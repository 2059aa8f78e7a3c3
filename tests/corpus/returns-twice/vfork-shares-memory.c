// What the child writes is seen by its parent: both have one memory.
//@ native: hangs
#define _GNU_SOURCE
#include <unistd.h>

static int n;

int main(void) {
    volatile int sink = 0;
    pid_t p = vfork();
    if (p == 0) {
        n = 1;
        _exit(0);
    }
    while (p > 0 && n == 1) sink = 1; //@ loop: diverges; tool everywhere: unknown -- the environment says which process is followed
    return 0;
}
