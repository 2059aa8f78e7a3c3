// One call, passed twice.
//@ native: hangs
#include <time.h>

int main(void) {
    volatile int sink = 0;
    time_t when = 0;
    struct tm *last = 0;
    int same = 0;
    for (int i = 0; i < 2; i++) { //@ loop: terminates
        struct tm *now = gmtime(&when);
        if (now == 0) return 0;
        if (now == last) same = 1;
        last = now;
    }
    while (same == 1) sink = 1; //@ loop: neither
    return 0;
}
