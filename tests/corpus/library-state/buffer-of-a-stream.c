// What is in the buffer is for the library to decide, from now on.
//@ native: ends
#include <stdio.h>

static char buffer[1024];

int main(void) {
    volatile int sink = 0;
    setvbuf(stdout, buffer, _IOFBF, sizeof buffer);
    buffer[0] = 0;
    fputs("abc", stdout);
    while (buffer[0] == 0) sink = 1; //@ loop: neither
    return 0;
}
