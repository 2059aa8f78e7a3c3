// `localtime` sets the time zone, too.
//@ native: ends
#define _GNU_SOURCE
#include <stdlib.h>
#include <time.h>

int main(void) {
    volatile int sink = 0;
    time_t now = 0;
    setenv("TZ", "UTC", 1);
    daylight = 7;
    localtime(&now);
    while (daylight == 7) sink = 1; //@ loop: terminates; tool everywhere: unknown -- the environment says what localtime stores
    return 0;
}
