// The right side of || is not evaluated where the left side is true.
extern int __VERIFIER_nondet_int(void);

int main(void) {
    int x = __VERIFIER_nondet_int();
    int y = 10;
    while (x > 0 || y-- > 0) { //@ loop: diverges when x > 0
    }
    return 0;
}
