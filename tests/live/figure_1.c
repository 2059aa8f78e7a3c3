/* Looper's Figure 1, with foo() = 6 and bar() = 1: x alternates between 6 and 8, and y grows. With a signed y the compiler may
   drop the condition on it; what is left is an endless loop. Without optimisation y wraps. */
//@ arguments: 6 1
//@ flags: -fno-finite-loops
//@ attach -O0: unbounded
//@ attach -O2: proved
#include <stdlib.h>

int main(int argc, char **argv) {
    int x = atoi(argv[argc - 2]);
    int y = atoi(argv[argc - 1]);
    while (x != 3 && y > 0) {
        x = (x * x + 2) % 10;
        y++;
    }
    return x;
}
