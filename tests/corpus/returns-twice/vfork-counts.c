// Whatever comes back, and however often, this ends.
//@ native: ends
#define _GNU_SOURCE
#include <unistd.h>

int main(void) {
    volatile int sink = 0;
    pid_t p = vfork();
    if (p == 0) _exit(0);
    for (int i = 0; i < 10; i++) sink = i; //@ loop: terminates
    return 0;
}
