// At the end nothing is added any more.
//@ native: hangs
typedef unsigned long size_t;
long read(int, void *, size_t);

int main(void) {
    char block[4];
    long have = 0;
    while (have < 4) { //@ loop: diverges
        long n = read(0, block + have, 4 - have);
        if (n < 0) {
            return 1;
        }
        have += n;
    }
    return 0;
}
