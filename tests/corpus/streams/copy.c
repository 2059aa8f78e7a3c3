// The input is finite, whatever is done with it.
//@ native: ends
int getchar(void);
int putchar(int);

int main(void) {
    int c;
    while ((c = getchar()) != -1) { //@ loop: terminates
        putchar(c);
    }
    return 0;
}
