// The order of a pointer and a number is that of numbers without a sign; where the object lies nobody knows.
#include <stdlib.h>
static char here;

int below_the_last(void) {
    char *p = &here;
    while (p < (char *)-1) { //@ loop: neither
    }
    return 0;
}

int above_a_number(void) {
    char *p = malloc(100);
    if (p) {
        while (p > (char *)0x500000000000) { //@ loop: neither
        }
    }
    return 0;
}

int contradicts_itself(unsigned long n, unsigned long m) {
    if (n > m) {
        while ((char *)n < (char *)m) { //@ loop: terminates
        }
    }
    return 0;
}

int along(const char *p, const char *end) {
    int n = 0;
    for (; p < end; p++) { //@ loop: terminates
        n ^= *p;
    }
    return n;
}

int carries(char *p, unsigned long n) {
    while (p + n < p) { //@ loop: terminates; wrap: diverges; ideal: diverges; tool: unknown -- that an offset is added without a carry is used by no proof of an end
    }
    return 0;
}
