// Nobody reads: the write ends the program.
//@ native: ends
#include <unistd.h>

int main(void) {
    int ends[2];
    if (pipe(ends) != 0) return 0;
    close(ends[0]);
    for (;;) write(ends[1], "x", 1); //@ loop: terminates; tool everywhere: unknown -- pipes are not followed
}
