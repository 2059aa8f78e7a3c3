// The input is finite.
//@ native: ends
int getchar(void);

int main(void) {
    int c;
    do { //@ loop: terminates
        c = getchar();
    } while (c != '\n' && c != -1);
    return 0;
}
