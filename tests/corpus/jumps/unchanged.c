// A local that nobody changed keeps its value.
//@ native: hangs
#include <setjmp.h>

jmp_buf buffer;

int main(void) {
    int x = 1;
    if (setjmp(buffer) == 0) { //@ loop: terminates; within 3 lines; absent; tool everywhere: unknown -- the jump goes around all that follows, and a loop in there is open
        longjmp(buffer, 1);
    }
    while (x == 1) { //@ loop: diverges
    }
    return 0;
}
