// A function that others may replace may be the one that stands here.
//@ native: hangs
__attribute__((weak)) void tick(int n) {
    while (n) { //@ loop: diverges; absent; tool everywhere: unknown -- bodies that may be replaced are not followed
    }
}

int main(int argc, char **argv) {
    (void)argv;
    volatile int sink = 0;
    tick(argc);
    while (sink < 3) { //@ loop: neither
        sink++;
    }
    return 0;
}
