// A failed call stores it.
//@ native: ends
#include <errno.h>
#include <unistd.h>

int main(void) {
    volatile int sink = 0;
    int *number = &errno;
    *number = 0;
    close(-1);
    while (*number == 0) sink = 1; //@ loop: terminates; tool everywhere: unknown -- the environment says what a call stores
    return 0;
}
