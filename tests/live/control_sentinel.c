/* Looks for a byte at the end of much memory. */
//@ attach: unknown
#include <stddef.h>
#include <sys/mman.h>

int main(void) {
    size_t n = (size_t)1 << 40;
    int how = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE;
    volatile char *p = mmap(NULL, n, PROT_READ, how, -1, 0);
    if (p == MAP_FAILED)
        for (;;)
            p = mmap(NULL, n, PROT_READ, how, -1, 0);
    while (*p == 0)
        p++;
    return 0;
}
