/* An alarm ends the process. The kernel tells root of all alarms, and others of none. */
//@ attach: proved
//@ conditions: timer
#include <unistd.h>

static volatile int ready;

int main(void) {
    alarm(1000);
    while (!ready)
        ;
    return 0;
}
