/* A private page that nobody has copied shows what another process writes through a shared mapping of the file. */
//@ attach: unknown; others write
#define _GNU_SOURCE
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <unistd.h>

int main(void) {
    int fd = memfd_create("flag", 0);
    ftruncate(fd, 4096);
    volatile int *shared = mmap(0, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    volatile int *private = mmap(0, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE, fd, 0);
    close(fd);
    if (fork() == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        sleep(1000);
        *shared = 1;
        _exit(0);
    }
    munmap((void *)shared, 4096);
    while (!*private)
        ;
    return 0;
}
