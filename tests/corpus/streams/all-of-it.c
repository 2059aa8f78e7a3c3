// Who waits for a hundred bytes waits for ever where there are fewer.
//@ native: hangs
typedef unsigned long size_t;
typedef struct _IO_FILE FILE;
extern FILE *stdin;
size_t fread(void *, size_t, size_t, FILE *);

int main(void) {
    char block[100];
    size_t have = 0;
    while (have < sizeof block) { //@ loop: diverges
        have += fread(block + have, 1, sizeof block - have, stdin);
    }
    return 0;
}
