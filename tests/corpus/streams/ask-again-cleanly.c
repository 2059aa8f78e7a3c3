// The rest of the line is thrown away; only at the end it hangs.
//@ native: ends
int scanf(const char *, ...);
int getchar(void);

int main(void) {
    int n = 0;
    while (scanf("%d", &n) != 1) { //@ loop: terminates
        int c;
        do { //@ loop: terminates
            c = getchar();
        } while (c != '\n' && c != -1);
        if (c == -1) {
            return 1;
        }
    }
    return 0;
}
