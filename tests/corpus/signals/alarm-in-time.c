// A loop that ends by itself ends with an alarm, too.
//@ native: ends
#include <unistd.h>

int main(void) {
    volatile int sink = 0;
    alarm(60);
    for (int i = 0; i < 100; i++) sink = i; //@ loop: terminates
    return 0;
}
