// `lgamma` stores the sign of its result in a variable.
//@ native: ends
#define _GNU_SOURCE
#include <math.h>

int main(void) {
    volatile int sink = 0;
    volatile double x = -0.5;
    signgam = 7;
    x = lgamma(x);
    while (signgam == 7) sink = 1; //@ loop: terminates; tool everywhere: unknown -- the environment says what lgamma stores
    return 0;
}
