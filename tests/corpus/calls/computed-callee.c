// The address of a function, computed from that of another one.
#include <stdint.h>
typedef void (*callee)(int);
static void spin(int n) {
    for (;;) { //@ loop: diverges; slow everywhere
    }
}
static void other(int n) { (void)n; }
static uint32_t far;

void measure(void) { far = (uint32_t)((intptr_t)spin - (intptr_t)other); }

int call(int n) {
    callee f = (callee)((intptr_t)other + (int)far);
    for (int i = 0; i < n; i++) { //@ loop: neither
        f(1);
    }
    return 0;
}
