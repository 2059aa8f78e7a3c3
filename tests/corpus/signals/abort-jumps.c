// A handler of `abort` may jump away.
//@ native: hangs
#include <setjmp.h>
#include <signal.h>
#include <stdlib.h>

static jmp_buf out;

static void handler(int number) {
    longjmp(out, number);
}

int main(void) {
    volatile int sink = 0;
    signal(SIGABRT, handler);
    if (setjmp(out) == 0) abort();
    for (;;) sink = 1; //@ loop: diverges; tool everywhere: unknown -- handlers are not followed
}
