// The pointer may point into any of many objects. Which one it is does not matter.
int first, second, third, fourth, fifth, sixth, seventh, eighth;
char line[80];
char *current = line;

unsigned length(const char *text) {
    const char *p = text;
    while (*p) { //@ loop: terminates
        p++;
    }
    return (unsigned)(p - text);
}

void skip(void) {
    const char *p = current;
    while (*p == ' ' || *p == '\t') { //@ loop: terminates
        p++;
    }
    first = *p;
}
