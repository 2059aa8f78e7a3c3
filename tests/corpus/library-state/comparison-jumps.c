// The library calls a function that goes elsewhere.
//@ native: hangs
#include <setjmp.h>
#include <stdlib.h>

static jmp_buf out;

static int compare(const void *a, const void *b) {
    longjmp(out, *(const int *)a + *(const int *)b);
}

int main(void) {
    volatile int sink = 0;
    int numbers[] = {3, 1, 2};
    if (setjmp(out) != 0) {
        for (;;) sink = 1; //@ loop: diverges; tool everywhere: unknown -- jumps of functions that the library calls are not followed
    }
    qsort(numbers, 3, sizeof numbers[0], compare);
    return 0;
}
