/* A private page of a file that nobody writes: proved as long as nobody does. */
//@ attach: proved
//@ conditions: file
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

int main(void) {
    char name[] = "/tmp/lariat-live-XXXXXX";
    int fd = mkostemp(name, 0);
    ftruncate(fd, 4096);
    close(fd);
    fd = open(name, O_RDONLY);
    unlink(name);
    volatile const int *flag = mmap(0, 4096, PROT_READ, MAP_PRIVATE, fd, 0);
    close(fd);
    while (!*flag)
        ;
    return 0;
}
