// Which function steps is an input.
extern int __VERIFIER_nondet_int(void);

static int less(int x) {
    return x - 1;
}

static int same(int x) {
    return x;
}

int main(void) {
    int c = __VERIFIER_nondet_int();
    int x = 10;
    int (*step)(int) = c ? less : same;
    while (x > 0) { //@ loop: diverges when c == 0
        x = step(x);
    }
    return 0;
}
