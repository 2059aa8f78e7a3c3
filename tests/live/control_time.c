/* Waits for a time. */
//@ attach: unknown; clock
#include <time.h>

int main(void) {
    time_t end = time(0) + 100000;
    while (time(0) < end)
        ;
    return 0;
}
