// A variable is there, or not, each time.
//@ native: ends
char *getenv(const char *);

int main(void) {
    if (getenv("A") && !getenv("A")) {
        for (;;) { //@ loop: terminates; tool everywhere: unknown -- what getenv gave before is not followed
        }
    }
    while (getenv("B")) { //@ loop: diverges; tool everywhere: unknown -- what getenv gave before is not followed
    }
    return 0;
}
