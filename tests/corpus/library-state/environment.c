// Whether the list moves is up to the library.
//@ native: ends
#include <stdlib.h>

extern char **environ;

int main(void) {
    volatile int sink = 0;
    char **before = environ;
    setenv("LARIAT", "1", 1);
    while (environ == before) sink = 1; //@ loop: neither
    return 0;
}
