// The numbers are made in an array of the program.
//@ native: ends
#define _GNU_SOURCE
#include <stdlib.h>

static char state[64], before[64];

int main(void) {
    volatile int sink = 0;
    initstate(1, state, sizeof state);
    for (int i = 0; i < 64; i++) before[i] = state[i]; //@ loop: terminates
    random();
    int same = 1;
    for (int i = 0; i < 64; i++) //@ loop: terminates
        if (before[i] != state[i]) same = 0;
    while (same) sink = 1; //@ loop: neither
    return 0;
}
