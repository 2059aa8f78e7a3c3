// A block that is not whole is the last one.
//@ native: hangs
typedef unsigned long size_t;
typedef struct _IO_FILE FILE;
extern FILE *stdin;
size_t fread(void *, size_t, size_t, FILE *);

int main(void) {
    char block[16];
    while (fread(block, 1, sizeof block, stdin) == sizeof block) { //@ loop: terminates
    }
    while (fread(block, 1, sizeof block, stdin) > 0) { //@ loop: terminates
    }
    while (fread(block, 1, sizeof block, stdin) != sizeof block) { //@ loop: diverges
    }
    return 0;
}
