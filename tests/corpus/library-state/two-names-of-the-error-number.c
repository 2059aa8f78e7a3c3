// There is one `errno`, however one gets there.
//@ native: ends
#include <errno.h>

int main(void) {
    volatile int sink = 0;
    int *number = &errno;
    *number = 1;
    errno = 2;
    while (*number == 1) sink = 1; //@ loop: terminates; tool everywhere: unknown -- errno is a value of the environment
    return 0;
}
