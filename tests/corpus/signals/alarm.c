// It ends the program.
//@ native: ends
#include <unistd.h>

int main(void) {
    volatile int sink = 0;
    alarm(1);
    for (;;) sink = 1; //@ loop: terminates; tool everywhere: unknown -- the environment says when the alarm goes off
}
