// A function with such a name may write, if it gets a pointer.
//@ native: ends
__attribute__((weak)) void nondet_fill(int *p) {
    *p = 1;
}

int main(void) {
    volatile int sink = 0;
    int x = 0;
    nondet_fill(&x);
    while (x == 0) sink = 1; //@ loop: neither
    return 0;
}
