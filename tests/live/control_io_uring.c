/* The kernel works on requests of io_uring by itself, and writes where they say. */
//@ attach: unknown; io_uring
#define _GNU_SOURCE
#include <linux/io_uring.h>
#include <sys/syscall.h>
#include <unistd.h>

static volatile int ready;

int main(void) {
    struct io_uring_params parameters = {0};
    if (syscall(SYS_io_uring_setup, 4, &parameters) < 0)
        return 1;
    while (!ready)
        ;
    return 0;
}
