// What was no number is none the next time.
//@ native: ends
int scanf(const char *, ...);

int main(void) {
    int n = 0;
    if (scanf("%d", &n) == 0 && scanf("%d", &n) == 1) {
        while (n == 3) { //@ loop: terminates; tool everywhere: unknown -- on rough streams all is possible
        }
    }
    return 0;
}
