// Each byte that is read is written to the end of the same file.
//@ native: ends
typedef struct _IO_FILE FILE;
FILE *fopen(const char *, const char *);
int getc(FILE *);
int putc(int, FILE *);
int fflush(FILE *);

int main(void) {
    FILE *in = fopen("data", "r");
    FILE *out = fopen("data", "a");
    if (!in || !out) {
        return 1;
    }
    int c;
    while ((c = getc(in)) != -1) { //@ loop: neither
        putc(c, out);
        fflush(out);
    }
    return 0;
}
