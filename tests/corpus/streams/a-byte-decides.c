// The first byte is the user's, and so is the second one.
//@ native: ends
int getchar(void);

int main(void) {
    int a = getchar();
    int b = getchar();
    while (a == 'x' && b == 'y') { //@ loop: diverges
    }
    while (a > 255) { //@ loop: terminates
    }
    return 0;
}
