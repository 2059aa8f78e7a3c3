// The library remembers the end.
//@ native: ends
typedef struct _IO_FILE FILE;
extern FILE *stdin;
int feof(FILE *);
int fgetc(FILE *);

int main(void) {
    while (!feof(stdin)) { //@ loop: terminates; tool everywhere: unknown -- what feof remembers is not followed
        fgetc(stdin);
    }
    return 0;
}
