// The other context comes back, and the loop is reached.
//@ native: hangs
#include <ucontext.h>

static ucontext_t here, there;
static char stack[65536];

static void nothing(void) {
}

int main(void) {
    volatile int sink = 0;
    getcontext(&there);
    there.uc_stack.ss_sp = stack;
    there.uc_stack.ss_size = sizeof stack;
    there.uc_link = &here;
    makecontext(&there, nothing, 0);
    swapcontext(&here, &there);
    for (;;) sink = 1; //@ loop: diverges; tool everywhere: unknown -- contexts are not followed
}
