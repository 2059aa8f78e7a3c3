// A file with one byte is enough.
//@ native: ends
typedef struct _IO_FILE FILE;
FILE *fopen(const char *, const char *);
int fgetc(FILE *);
int fseek(FILE *, long, int);
void rewind(FILE *);

int main(void) {
    FILE *f = fopen("data", "r");
    if (!f) {
        return 1;
    }
    int first = fgetc(f);
    rewind(f);
    if (first != fgetc(f)) {
        for (;;) { //@ loop: neither
        }
    }
    while (fgetc(f) != -1) { //@ loop: diverges; tool everywhere: unknown -- what is read twice is not followed
        fseek(f, 0, 0);
    }
    return 0;
}
