// The input may have any number of lines, but not infinitely many.
typedef struct _IO_FILE FILE;
extern FILE *stdin;
char *fgets(char *, int, FILE *);

int main(void) {
    char line[8];
    int n = 0;
    while (n < 3 && fgets(line, sizeof line, stdin)) { //@ loop: terminates
        n++;
    }
    while (fgets(line, sizeof line, stdin)) { //@ loop: terminates
    }
    return 0;
}
