// It may be either.
//@ native: ends
typedef struct _IO_FILE FILE;
extern FILE *stdin;
FILE *fopen(const char *, const char *);
int getc(FILE *);

int main(int argc, char **argv) {
    FILE *f = stdin;
    if (argc > 1) {
        f = fopen("data", "r");
        if (!f) {
            return 1;
        }
    }
    while (getc(f) != -1) { //@ loop: terminates
    }
    return 0;
}
