// The library calls a function that has no loop, and cannot end the program.
//@ native: hangs
#include <stdlib.h>

static int compare(const void *a, const void *b) {
    return *(const int *)a - *(const int *)b;
}

int main(void) {
    volatile int sink = 0;
    int numbers[] = {3, 1, 2};
    qsort(numbers, 3, sizeof numbers[0], compare);
    for (;;) sink = 1; //@ loop: diverges
}
