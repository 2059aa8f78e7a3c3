// `getopt` stores where it is, and nobody changes it again.
//@ native: hangs
#include <unistd.h>

int main(void) {
    volatile int sink = 0;
    char *args[] = {"x", "-a", 0};
    optind = 1;
    getopt(2, args, "a");
    while (optind == 2) sink = 1; //@ loop: diverges; tool everywhere: unknown -- the environment says what getopt stores
    return 0;
}
