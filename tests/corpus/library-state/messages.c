// `error` counts its messages.
//@ native: hangs
#include <error.h>

int main(void) {
    volatile int sink = 0;
    error(0, 0, "one");
    while (error_message_count == 1) sink = 1; //@ loop: diverges; tool everywhere: unknown -- the environment says what error stores
    return 0;
}
