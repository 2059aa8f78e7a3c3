/* A private page that was written is a copy of its own: what others write to the file does not show. */
//@ attach: proved
#define _GNU_SOURCE
#include <sys/mman.h>
#include <unistd.h>

int main(void) {
    int fd = memfd_create("flag", 0);
    ftruncate(fd, 4096);
    volatile int *shared = mmap(0, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    volatile int *private = mmap(0, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE, fd, 0);
    private[1] = 1;
    shared[1] = 2;
    while (!private[0])
        ;
    return 0;
}
