// A line that was read has at least one byte.
//@ native: hangs
typedef unsigned long size_t;
typedef struct _IO_FILE FILE;
extern FILE *stdin;
long getline(char **, size_t *, FILE *);

int main(void) {
    char *line = 0;
    size_t room = 0;
    while (getline(&line, &room, stdin) != -1) { //@ loop: terminates
    }
    while (getline(&line, &room, stdin) < 3) { //@ loop: diverges
    }
    return 0;
}
