// 0 is the end, -1 an error, which may come at any time.
//@ native: hangs
typedef unsigned long size_t;
long read(int, void *, size_t);

int main(void) {
    char block[16];
    while (read(0, block, sizeof block) > 0) { //@ loop: terminates
    }
    while (read(0, block, sizeof block) >= 0) { //@ loop: diverges
    }
    return 0;
}
