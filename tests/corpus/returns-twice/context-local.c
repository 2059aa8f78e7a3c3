// A volatile local has the value of later when control comes back.
//@ native: ends
#include <ucontext.h>

static ucontext_t context;

int main(void) {
    volatile int sink = 0, rounds = 0;
    int limit = 3;
    getcontext(&context);
    for (int i = 0; i < limit; i++) sink = i; //@ loop: terminates; tool everywhere: unknown -- no engine is quick enough
    rounds = rounds + 1;
    if (rounds < 5) setcontext(&context);
    return 0;
}
