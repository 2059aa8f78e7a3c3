// The library reads ahead: what a descriptor gives then is not the next byte.
//@ native: ends
typedef unsigned long size_t;
int getchar(void);
long read(int, void *, size_t);

int main(void) {
    char c = 0;
    int first = getchar();
    if (first == 'a' && read(0, &c, 1) == 1 && c == 'b') {
        for (;;) { //@ loop: diverges; tool everywhere: unknown -- who reads in both ways may get anything
        }
    }
    return 0;
}
