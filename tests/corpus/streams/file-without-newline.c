// The file may be empty. What goes out is not what comes in.
//@ native: ends
typedef struct _IO_FILE FILE;
extern FILE *stderr;
FILE *fopen(const char *, const char *);
int getc(FILE *);
int putc(int, FILE *);

int main(void) {
    FILE *in = fopen("in", "r");
    if (!in) {
        return 1;
    }
    int c;
    do { //@ loop: diverges
        c = getc(in);
        putc(c, stderr);
    } while (c != '\n');
    return 0;
}
