// Control comes back to behind `getcontext`, where `n` is 1 then.
//@ native: hangs
#include <ucontext.h>

static ucontext_t context;
static int n;

int main(void) {
    volatile int sink = 0;
    getcontext(&context);
    while (n == 1) sink = 1; //@ loop: diverges; tool everywhere: unknown -- contexts are not followed
    n = 1;
    setcontext(&context);
    return 0;
}
