// A digit behind a number is a part of it.
//@ native: ends
int scanf(const char *, ...);
int getchar(void);

int main(void) {
    int n;
    if (scanf("%d", &n) == 1) {
        int c = getchar();
        while (c >= '0' && c <= '9') { //@ loop: terminates; tool everywhere: unknown -- on rough streams all bytes are possible
        }
        while (c == '\n') { //@ loop: diverges
        }
    }
    return 0;
}
