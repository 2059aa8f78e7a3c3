// The library calls a function that ends the program.
//@ native: ends
#include <stdlib.h>

static int compare(const void *a, const void *b) {
    exit(*(const int *)a == *(const int *)b);
}

int main(void) {
    volatile int sink = 0;
    int numbers[] = {3, 1, 2};
    qsort(numbers, 3, sizeof numbers[0], compare);
    for (;;) sink = 1; //@ loop: terminates; tool everywhere: unknown -- how often the library calls it is not known
}
