// Two handles of one file give the same bytes.
//@ native: ends
typedef struct _IO_FILE FILE;
FILE *fopen(const char *, const char *);
int getc(FILE *);

int main(void) {
    FILE *f = fopen("data", "r");
    FILE *g = fopen("./data", "r");
    if (!f || !g) {
        return 1;
    }
    if (getc(f) != getc(g)) {
        for (;;) { //@ loop: neither
        }
    }
    return 0;
}
