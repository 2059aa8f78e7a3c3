// A handler leaves a loop without an exit, and another one is reached.
//@ native: hangs
#include <setjmp.h>
#include <signal.h>
#include <unistd.h>

static sigjmp_buf out;

static void handler(int number) {
    siglongjmp(out, number);
}

int main(void) {
    volatile int sink = 0;
    signal(SIGALRM, handler);
    if (sigsetjmp(out, 1) == 0) {
        alarm(1);
        for (;;) sink = 1; //@ loop: terminates; tool everywhere: unknown -- the environment says when the alarm goes off
    }
    for (;;) sink = 2; //@ loop: diverges; tool everywhere: unknown -- handlers are not followed
}
