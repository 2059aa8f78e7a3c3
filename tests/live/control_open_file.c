/* The same with a file that is open for writing, and mapped nowhere else. */
//@ attach: unknown; others write
#define _GNU_SOURCE
#include <sys/mman.h>
#include <unistd.h>

int main(void) {
    int fd = memfd_create("flag", 0);
    ftruncate(fd, 4096);
    volatile const int *flag = mmap(0, 4096, PROT_READ, MAP_PRIVATE, fd, 0);
    while (!*flag)
        ;
    return 0;
}
