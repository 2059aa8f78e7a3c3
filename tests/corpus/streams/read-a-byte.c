// At the end the byte stays what it was.
//@ native: hangs
typedef unsigned long size_t;
long read(int, void *, size_t);

int main(void) {
    char c = 0;
    while (c != '\n') { //@ loop: diverges
        read(0, &c, 1);
    }
    return 0;
}
