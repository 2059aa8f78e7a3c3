// Two contexts take turns; one counts up what the other one counts down.
//@ native: hangs
#include <ucontext.h>

static ucontext_t here, there;
static char stack[65536];
static int n;

static void down(void) {
    for (;;) { //@ loop: diverges; absent; tool everywhere: unknown -- contexts are not followed
        n--;
        swapcontext(&there, &here);
    }
}

int main(void) {
    getcontext(&there);
    there.uc_stack.ss_sp = stack;
    there.uc_stack.ss_size = sizeof stack;
    there.uc_link = 0;
    makecontext(&there, down, 0);
    while (n < 3) { //@ loop: diverges; tool everywhere: unknown -- contexts are not followed
        n++;
        swapcontext(&here, &there);
    }
    return 0;
}
