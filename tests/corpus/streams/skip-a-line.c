// At the end of the input there is no newline, and the end comes again and again.
//@ native: hangs
int getchar(void);

int main(void) {
    int c;
    do { //@ loop: diverges
        c = getchar();
    } while (c != '\n');
    return 0;
}
