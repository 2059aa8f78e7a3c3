// What is written to the stream is written to the array.
//@ native: ends
#define _GNU_SOURCE
#include <stdio.h>

static char text[8];

int main(void) {
    volatile int sink = 0;
    FILE *f = fmemopen(text, sizeof text, "w");
    if (f == 0) return 0;
    fputc('a', f);
    fflush(f);
    while (text[0] == 0) sink = 1; //@ loop: terminates; tool everywhere: unknown -- the library keeps the buffer
    return 0;
}
