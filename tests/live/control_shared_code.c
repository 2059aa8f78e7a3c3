/* The code of the loop is in a private page that nobody has copied, and another mapping can change it. */
//@ attach: unknown; others may write
#define _GNU_SOURCE
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

int main(void) {
    int fd = memfd_create("code", 0);
    ftruncate(fd, 4096);
    unsigned char *shared = mmap(0, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    memcpy(shared, "\xeb\xfe", 2); /* jmp . */
    void (*code)(void) = (void (*)(void))mmap(0, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE, fd, 0);
    code();
    return 0;
}
