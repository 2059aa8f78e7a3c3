// From then on a division by zero raises a signal.
//@ native: ends
#define _GNU_SOURCE
#include <fenv.h>

int main(void) {
    volatile double zero = 0, x = 0;
    feenableexcept(FE_DIVBYZERO);
    for (;;) x = 1 / zero; //@ loop: terminates; tool everywhere: unknown -- the environment says when a signal comes
}
