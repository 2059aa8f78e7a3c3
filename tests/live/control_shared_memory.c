/* Another process may set the flag. */
//@ attach: unknown; others write
#include <stddef.h>
#include <sys/mman.h>

int main(void) {
    volatile int *flag = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    while (!*flag)
        ;
    return 0;
}
