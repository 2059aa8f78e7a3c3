// An alarm that is taken back does not go off.
//@ native: hangs
#include <unistd.h>

int main(void) {
    volatile int sink = 0;
    alarm(60);
    alarm(0);
    for (;;) sink = 1; //@ loop: diverges; tool everywhere: unknown -- no engine uses that nothing is due
}
