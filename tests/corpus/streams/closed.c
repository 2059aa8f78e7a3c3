// A descriptor that is closed gives errors.
//@ native: ends
typedef unsigned long size_t;
int close(int);
long read(int, void *, size_t);

int main(void) {
    char c;
    close(0);
    while (read(0, &c, 1) == 0) { //@ loop: terminates; tool everywhere: unknown -- what is closed is not followed
    }
    return 0;
}
