// Two files have two contents.
//@ native: ends
typedef struct _IO_FILE FILE;
FILE *fopen(const char *, const char *);
int getc(FILE *);

int main(void) {
    FILE *f = fopen("one", "r");
    FILE *g = fopen("two", "r");
    if (!f || !g) {
        return 1;
    }
    if (getc(f) == 'a' && getc(g) == 'b') {
        while (getc(f) != 'a') { //@ loop: diverges
        }
    }
    return 0;
}
