// Its bytes are the user's.
//@ native: ends
typedef unsigned long size_t;
typedef struct _IO_FILE FILE;
extern FILE *stdin;
size_t fread(void *, size_t, size_t, FILE *);

int main(void) {
    unsigned n = 0;
    if (fread(&n, sizeof n, 1, stdin) == 1) {
        while (n != 0) { //@ loop: diverges
            n -= 2;
        }
    }
    return 0;
}
