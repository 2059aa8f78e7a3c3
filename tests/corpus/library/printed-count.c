// `%n` stores how much was printed.
int printf(const char *, ...);

int main(void) {
    int x = 0;
    printf("abc%n", &x);
    while (!x) { //@ loop: terminates
    }
    return 0;
}
