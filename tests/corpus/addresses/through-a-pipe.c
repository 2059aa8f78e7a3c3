// An address that goes out comes back as it was, also by ways that nobody follows.
//@ native: hangs
typedef unsigned long size_t;
int pipe(int *);
long read(int, void *, size_t);
long write(int, const void *, size_t);

int main(void) {
    int ends[2];
    volatile int x = 1;
    volatile int *p = &x, *q = 0;
    if (pipe(ends) != 0) {
        return 0;
    }
    if (write(ends[1], &p, sizeof p) != sizeof p || read(ends[0], &q, sizeof q) != sizeof q) {
        return 0;
    }
    while (*q == 1) { //@ loop: diverges; tool everywhere: unknown -- what a pipe gives is not followed
        *q = 1;
    }
    return 0;
}
