// The library uses the program's own definition.
//@ native: ends
#include <unistd.h>

int optind = 1;

int main(void) {
    volatile int sink = 0;
    char *args[] = {"x", "-a", 0};
    getopt(2, args, "a");
    while (optind == 1) sink = 1; //@ loop: terminates; tool everywhere: unknown -- the environment says what getopt stores
    return 0;
}
