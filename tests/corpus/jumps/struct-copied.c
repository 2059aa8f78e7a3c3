// A local that a struct assignment changed is indeterminate after the jump.
#include <setjmp.h>

struct pair {
    int a, b;
};
jmp_buf buffer;

int main(void) {
    struct pair x = {1, 2}, y = {3, 4};
    if (setjmp(buffer) == 0) { //@ loop: terminates; within 3 lines; absent; tool everywhere: unknown -- the jump goes around all that follows, and a loop in there is open
        x = y;
        longjmp(buffer, 1);
    }
    while (x.a == 3) { //@ loop: neither
    }
    while (x.a == 1) { //@ loop: neither
    }
    return 0;
}
