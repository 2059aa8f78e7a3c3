// A function runs in `fork`.
//@ native: hangs
#include <pthread.h>
#include <unistd.h>

static int n;

static void prepare(void) {
    n = 1;
}

int main(void) {
    volatile int sink = 0;
    pthread_atfork(prepare, 0, 0);
    if (fork() == 0) _exit(0);
    while (n == 1) sink = 1; //@ loop: diverges; tool everywhere: unknown -- what runs in fork is not followed
    return 0;
}
