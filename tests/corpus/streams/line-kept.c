// At the end the line stays what it was.
//@ native: hangs
typedef struct _IO_FILE FILE;
extern FILE *stdin;
char *fgets(char *, int, FILE *);

int main(void) {
    char line[8] = "";
    do { //@ loop: diverges; tool everywhere: unknown -- that an array keeps its content is not found
        fgets(line, sizeof line, stdin);
    } while (line[0] != 'q');
    return 0;
}
