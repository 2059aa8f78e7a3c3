// The caller may hand in one address twice.
void count(int *p, int *q) {
    while (*p < 10) { //@ loop: diverges when p == q && *p < 10
        ++*p;
        *q = 0;
    }
}
