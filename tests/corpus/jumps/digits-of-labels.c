// Where a label lies nobody knows.
typedef unsigned long number;

int digits(void) {
    void *p = &&here;
here:
    while ((number)p & 4) { //@ loop: neither
    }
    return 0;
}

int small(void) {
    void *p = &&here;
here:
    while (p == (void *)1 || p == (void *)2 || p == (void *)3) { //@ loop: neither
    }
    return 0;
}
