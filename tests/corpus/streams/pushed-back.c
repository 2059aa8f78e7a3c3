// What was pushed back comes again.
//@ native: ends
typedef struct _IO_FILE FILE;
extern FILE *stdin;
int getc(FILE *);
int ungetc(int, FILE *);

int main(void) {
    int c = getc(stdin);
    ungetc(c, stdin);
    if (c != -1 && c != getc(stdin)) {
        for (;;) { //@ loop: terminates; tool everywhere: unknown -- what is pushed back is not followed
        }
    }
    while ((c = getc(stdin)) != -1) { //@ loop: diverges; tool everywhere: unknown -- what is pushed back is not followed
        ungetc(c, stdin);
    }
    return 0;
}
