// Both calls may give the same object, or not.
//@ native: hangs
#include <time.h>

int main(void) {
    volatile int sink = 0;
    time_t first = 0, second = 100000000;
    struct tm *a = gmtime(&first);
    if (a == 0) return 0;
    int year = a->tm_year;
    struct tm *b = gmtime(&second);
    while (a->tm_year == year) sink = 1; //@ loop: neither
    while (a == b) sink = 1; //@ loop: neither
    return 0;
}
