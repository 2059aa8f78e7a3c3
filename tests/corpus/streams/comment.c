// A comment that is not closed.
//@ native: ends
int getchar(void);

int main(void) {
    int c;
    while ((c = getchar()) != -1) { //@ loop: diverges
        if (c == '{') {
            while (getchar() != '}') { //@ loop: diverges
            }
        }
    }
    return 0;
}
