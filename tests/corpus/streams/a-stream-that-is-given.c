// Whoever calls it chooses the stream.
typedef struct _IO_FILE FILE;
int fgetc(FILE *);
int fputc(int, FILE *);

void skip(FILE *f) {
    int c;
    do { //@ loop: diverges
        c = fgetc(f);
    } while (c != '"');
}

int count(FILE *f) {
    int n = 0;
    while (fgetc(f) != -1) { //@ loop: terminates
        n = 1;
    }
    return n;
}

void copy(FILE *from, FILE *to) {
    int c;
    while ((c = fgetc(from)) != -1) { //@ loop: neither
        fputc(c, to);
    }
}
