/* What the kernel answers may change. */
//@ attach: unknown; system call
#include <unistd.h>

int main(void) {
    while (getppid() != 0)
        ;
    return 0;
}
