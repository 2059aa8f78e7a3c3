// A function that others may replace may be the one that stands here.
//@ native: hangs
__attribute__((weak)) void tick(int n) {
    while (n) { //@ loop: diverges; tool everywhere: unknown -- no call is known to run a body that may be replaced
    }
}

__attribute__((weak)) int halvings(unsigned n) {
    int count = 0;
    while (n) { //@ loop: terminates
        n /= 2;
        count++;
    }
    return count;
}

int main(int argc, char **argv) {
    (void)argv;
    volatile int sink = halvings((unsigned)argc);
    tick(argc);
    while (sink < 3) { //@ loop: neither
        sink++;
    }
    return 0;
}
