// So may one of a failed assertion, which aborts.
//@ native: hangs
#undef NDEBUG
#include <assert.h>
#include <setjmp.h>
#include <signal.h>

static jmp_buf out;

static void handler(int number) {
    longjmp(out, number);
}

int main(void) {
    volatile int sink = 0, zero = 0;
    signal(SIGABRT, handler);
    if (setjmp(out) == 0) {
        assert(zero);
        return 0;
    }
    for (;;) sink = 1; //@ loop: diverges; tool everywhere: unknown -- handlers are not followed
}
