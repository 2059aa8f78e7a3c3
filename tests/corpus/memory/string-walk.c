// A string ends with a zero.
int main(void) {
    const char *s = "lasso";
    while (*s) { //@ loop: terminates
        s++;
    }
    return 0;
}
