// So is one that memset, or a function of the library, changed.
#include <setjmp.h>
#include <string.h>

jmp_buf buffer;

int main(void) {
    int x = 1, y = 1;
    if (setjmp(buffer) == 0) { //@ loop: terminates; within 4 lines; absent; tool everywhere: unknown -- the jump goes around all that follows, and a loop in there is open
        memset(&x, 0, sizeof x);
        memcpy(&y, &x, sizeof y);
        longjmp(buffer, 1);
    }
    while (x == 0) { //@ loop: neither
    }
    while (y == 1) { //@ loop: neither
    }
    return 0;
}
