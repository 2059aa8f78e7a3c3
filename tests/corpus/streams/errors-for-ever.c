// Without the file there is no descriptor, and no end, only an error for ever.
//@ native: hangs
typedef unsigned long size_t;
int open(const char *, int, ...);
long read(int, void *, size_t);

int main(void) {
    char block[16];
    int fd = open("data", 0);
    while (read(fd, block, sizeof block) != 0) { //@ loop: diverges
    }
    return 0;
}
