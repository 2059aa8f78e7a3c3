// Nobody else writes into this pipe.
//@ native: ends
typedef unsigned long size_t;
int pipe(int *);
long read(int, void *, size_t);
long write(int, const void *, size_t);

int main(void) {
    int ends[2];
    char c = 0;
    if (pipe(ends) != 0) {
        return 1;
    }
    write(ends[1], "a", 1);
    if (read(ends[0], &c, 1) == 1 && c == 'b') {
        for (;;) { //@ loop: neither
        }
    }
    return 0;
}
