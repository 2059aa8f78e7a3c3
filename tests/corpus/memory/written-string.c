// A string literal may not be written to.
int main(void) {
    char *s = "abc";
    s[0] = 0;
    while (!s[0]) { //@ loop: terminates; absent
    }
    return 0;
}
