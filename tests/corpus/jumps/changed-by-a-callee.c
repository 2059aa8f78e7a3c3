// A callee changes it through a pointer.
#include <setjmp.h>

struct pair {
    int a, b;
};
jmp_buf buffer;

static void set(struct pair *to, struct pair from) {
    *to = from;
    longjmp(buffer, 1);
}

int main(void) {
    struct pair x = {1, 2}, y = {3, 4};
    if (setjmp(buffer) == 0) { //@ loop: terminates; within 3 lines; absent; tool everywhere: unknown -- the jump goes around all that follows, and a loop in there is open
        set(&x, y);
    }
    while (x.a == 3) { //@ loop: neither
    }
    return 0;
}
