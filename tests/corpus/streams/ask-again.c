// What is no number is there the next time, too.
//@ native: hangs
int scanf(const char *, ...);

int main(void) {
    int n = 0;
    while (scanf("%d", &n) != 1) { //@ loop: diverges
    }
    while (n == 77) { //@ loop: diverges
    }
    return 0;
}
