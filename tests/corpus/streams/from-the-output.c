// Nothing can be read from what is for output: that is an error, not a choice.
//@ native: ends
typedef struct _IO_FILE FILE;
extern FILE *stdout;
int fgetc(FILE *);

int main(void) {
    int c = fgetc(stdout);
    while (c == 'x') { //@ loop: terminates; tool everywhere: unknown -- that it is an error is not known
    }
    return 0;
}
