// Only the child stays in the loop.
//@ native: ends
#include <unistd.h>

int main(void) {
    volatile int sink = 0;
    pid_t parent = getpid(), p = fork();
    for (int i = 0; i < 3; i++) sink = i; //@ loop: terminates
    while (p == 0) { //@ loop: neither
        sink = 1;
        if (getppid() != parent) break;
    }
    return 0;
}
