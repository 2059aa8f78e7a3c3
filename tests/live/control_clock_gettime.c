/* Waits for a time, read without a system call. */
//@ attach: unknown; clock
#include <time.h>

int main(void) {
    struct timespec now, start;
    clock_gettime(CLOCK_MONOTONIC, &start);
    do
        clock_gettime(CLOCK_MONOTONIC, &now);
    while (now.tv_sec < start.tv_sec + 100000);
    return 0;
}
