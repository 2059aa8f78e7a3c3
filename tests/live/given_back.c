/* The page was given back: the kernel may fill it with zeros at any time, and does so when it needs memory. */
//@ attach: proved
//@ conditions: memory
#define _GNU_SOURCE
#include <sys/mman.h>

int main(void) {
    volatile int *page = mmap(0, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    page[0] = 1;
    madvise((void *)page, 4096, MADV_FREE);
    while (page[0])
        ;
    return 0;
}
