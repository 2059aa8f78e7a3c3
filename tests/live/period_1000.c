/* A counter that comes back to zero after a thousand rounds; only a negative one would end the loop. */
//@ arguments: 1000
//@ attach: proved
#include <stdlib.h>

static volatile int seen;

int main(int argc, char **argv) {
    int n = atoi(argv[argc - 1]);
    int i = 0;
    for (;;) {
        if (++i == n)
            i = 0;
        if (i < 0)
            break;
        seen = i;
    }
    return 0;
}
