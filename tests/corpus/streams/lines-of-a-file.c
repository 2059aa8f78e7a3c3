// A line is at least one byte. With room for none, the library may give an empty line for ever.
//@ native: hangs
typedef struct _IO_FILE FILE;
extern FILE *stdin;
char *fgets(char *, int, FILE *);

int main(void) {
    char line[8];
    while (fgets(line, sizeof line, stdin)) { //@ loop: terminates
    }
    while (fgets(line, 1, stdin)) { //@ loop: neither
    }
    return 0;
}
