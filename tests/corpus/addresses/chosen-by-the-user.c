// Where an object is nobody can type in: what is read as an address is not the user's choice.
typedef unsigned long size_t;
typedef struct _IO_FILE FILE;
extern FILE *stdin;
size_t fread(void *, size_t, size_t, FILE *);

int main(void) {
    int *p = 0;
    if (fread(&p, sizeof p, 1, stdin) != 1) {
        return 0;
    }
    while (*p == 0) { //@ loop: neither
    }
    return 0;
}
