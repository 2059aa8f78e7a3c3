// An array without a zero at its end: reading on is undefined.
int main(void) {
    char s[3] = {'a', 'b', 'c'};
    const char *p = s;
    while (*p) { //@ loop: terminates
        p++;
    }
    return 0;
}
