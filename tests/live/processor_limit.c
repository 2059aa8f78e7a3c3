/* The limit of processor time ends it. */
//@ attach: proved
//@ conditions: limit
#include <sys/resource.h>

int main(void) {
    struct rlimit limit = {1000, 1000};
    setrlimit(RLIMIT_CPU, &limit);
    for (;;)
        ;
}
