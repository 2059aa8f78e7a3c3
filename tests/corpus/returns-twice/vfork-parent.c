// The child ends, and its parent comes back from the same call.
//@ native: hangs
#define _GNU_SOURCE
#include <unistd.h>

int main(void) {
    volatile int sink = 0;
    pid_t p = vfork();
    if (p == 0) _exit(0);
    for (;;) sink = 1; //@ loop: diverges; tool everywhere: unknown -- the environment says which process is followed
}
