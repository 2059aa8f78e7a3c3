// Each number that is read is one less to come. What is no number is never read.
//@ native: ends
int scanf(const char *, ...);

int main(void) {
    int n;
    while (scanf("%d", &n) == 1) { //@ loop: terminates
    }
    while (scanf("%d", &n) != -1) { //@ loop: diverges
    }
    return 0;
}
