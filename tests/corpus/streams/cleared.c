// After the end there may be more, if somebody says so; but not without end.
//@ native: hangs
typedef struct _IO_FILE FILE;
extern FILE *stdin;
int getc(FILE *);
void clearerr(FILE *);

int main(void) {
    int tries = 0;
    while (tries < 3) { //@ loop: terminates
        if (getc(stdin) == -1) {
            tries++;
            clearerr(stdin);
        }
    }
    for (;;) { //@ loop: neither
        if (getc(stdin) == 'x') {
            return 0;
        }
        clearerr(stdin);
    }
}
