// Memory that is mapped away cannot be written to any more.
//@ native: ends
typedef unsigned long size_t;
int mprotect(void *, size_t, int);
static volatile char b[8192] __attribute__((aligned(4096)));

int main(void) {
    if (mprotect((void *)b, 4096, 0) != 0) {
        return 0;
    }
    for (;;) { //@ loop: terminates; tool everywhere: unknown -- that it traps is not known
        b[0] = 1;
    }
}
