/* The same of requests by io_submit. */
//@ attach: unknown; io_setup
#define _GNU_SOURCE
#include <linux/aio_abi.h>
#include <sys/syscall.h>
#include <unistd.h>

static volatile int ready;

int main(void) {
    aio_context_t context = 0;
    if (syscall(SYS_io_setup, 4, &context) < 0)
        return 1;
    while (!ready)
        ;
    return 0;
}
