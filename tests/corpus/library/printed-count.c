// `%n` stores how much was printed.
int printf(const char *, ...);

int main(void) {
    int x = 0;
    printf("abc%n", &x);
    while (!x) { //@ loop: terminates; tool everywhere: unknown -- how much is printed is not followed
    }
    return 0;
}
