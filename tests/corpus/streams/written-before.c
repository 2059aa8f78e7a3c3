// What is read is what was written.
//@ native: ends
typedef struct _IO_FILE FILE;
FILE *fopen(const char *, const char *);
int fclose(FILE *);
int getc(FILE *);
int putc(int, FILE *);

int main(void) {
    FILE *f = fopen("data", "w");
    if (!f) {
        return 1;
    }
    putc('a', f);
    fclose(f);
    f = fopen("data", "r");
    if (f && getc(f) == 'b') {
        for (;;) { //@ loop: neither
        }
    }
    return 0;
}
