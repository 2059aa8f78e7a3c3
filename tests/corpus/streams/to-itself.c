// What a program writes to its own pipe it reads again, for ever.
//@ native: hangs
typedef unsigned long size_t;
int pipe(int *);
long read(int, void *, size_t);
long write(int, const void *, size_t);

int main(void) {
    int ends[2];
    char c = 'a';
    if (pipe(ends) != 0) {
        return 1;
    }
    do { //@ loop: diverges; tool everywhere: unknown -- what a pipe gives is not followed
        if (write(ends[1], &c, 1) != 1) {
            return 1;
        }
    } while (read(ends[0], &c, 1) == 1);
    return 0;
}
