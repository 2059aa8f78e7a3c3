// The same function, through a pointer.
//@ native: hangs
#define _GNU_SOURCE
#include <unistd.h>

static int n;

int main(void) {
    volatile int sink = 0;
    pid_t (*volatile split)(void) = vfork;
    pid_t p = split();
    if (p == 0) {
        n = 1;
        _exit(0);
    }
    while (p > 0 && n == 1) sink = 1; //@ loop: diverges; tool everywhere: unknown -- the environment says which process is followed
    return 0;
}
