// Whoever gives an address as a number knows what is there; nobody else does.
//@ native: hangs
typedef unsigned long size_t;
void *mmap(void *, size_t, int, int, int, long);
volatile int beats;

int main(void) {
    if (mmap((void *)0x12345000, 4096, 3, 0x32, -1, 0) != (void *)0x12345000) {
        for (;;) { //@ loop: diverges; tool everywhere: unknown -- what mmap gives is not the input's choice
            beats = 1;
        }
    }
    int *p = (int *)0x12345000;
    *p = 1;
    while (*p == 1) { //@ loop: diverges; tool everywhere: unknown -- no run is followed to where the number may lead
        beats = 1;
    }
    return 0;
}
