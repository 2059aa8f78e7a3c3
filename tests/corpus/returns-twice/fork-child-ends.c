// Parent and child both come back: the one ends, the other one stays.
//@ native: hangs
#include <unistd.h>

int main(void) {
    volatile int sink = 0;
    if (fork() == 0) return 0;
    for (;;) sink = 1; //@ loop: diverges; tool everywhere: unknown -- the environment says which process is followed
}
