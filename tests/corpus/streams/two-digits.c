// No number of two digits is larger than 99.
//@ native: ends
int scanf(const char *, ...);

int main(void) {
    int n = 0;
    if (scanf("%2d", &n) == 1) {
        while (n > 99) { //@ loop: terminates; tool everywhere: unknown -- widths are not followed
        }
    }
    return 0;
}
