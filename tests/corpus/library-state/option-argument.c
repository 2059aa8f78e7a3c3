// `getopt` stores a pointer to the argument of an option.
//@ native: ends
#include <unistd.h>

int main(void) {
    volatile int sink = 0;
    char *args[] = {"x", "-afile", 0};
    optarg = 0;
    getopt(2, args, "a:");
    while (optarg == 0) sink = 1; //@ loop: terminates; tool everywhere: unknown -- the environment says what getopt stores
    return 0;
}
