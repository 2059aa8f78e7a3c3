// The step is one or nothing.
extern int __VERIFIER_nondet_int(void);

int main(void) {
    int x = __VERIFIER_nondet_int();
    int n = 0;
    while (n < 3) { //@ loop: diverges when x == 0
        n += !!x;
    }
    return 0;
}
