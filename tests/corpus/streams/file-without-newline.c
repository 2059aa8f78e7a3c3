// The file may be empty.
typedef struct _IO_FILE FILE;
FILE *fopen(const char *, const char *);
int getc(FILE *);
int putc(int, FILE *);

int main(void) {
    FILE *in = fopen("in", "r");
    FILE *out = fopen("out", "w");
    if (!in) {
        return 1;
    }
    int c;
    do { //@ loop: diverges
        c = getc(in);
        if (out) {
            putc(c, out);
        }
    } while (c != '\n');
    return 0;
}
