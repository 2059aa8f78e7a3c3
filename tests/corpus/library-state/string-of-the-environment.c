// The string itself becomes part of the environment.
//@ native: ends
#include <stdlib.h>

static char text[] = "LARIAT=b";

int main(void) {
    volatile int sink = 0;
    putenv(text);
    char *value = getenv("LARIAT");
    if (value == 0) return 0;
    *value = 'c';
    while (text[7] == 'b') sink = 1; //@ loop: terminates; tool everywhere: unknown -- the library keeps the string
    return 0;
}
