// `tzset` stores what the user has set.
//@ native: ends
#define _GNU_SOURCE
#include <stdlib.h>
#include <time.h>

int main(void) {
    volatile int sink = 0;
    timezone = 5;
    setenv("TZ", "UTC-3", 1);
    tzset();
    while (timezone == 5) sink = 1; //@ loop: terminates; tool everywhere: unknown -- the environment says what tzset stores
    return 0;
}
