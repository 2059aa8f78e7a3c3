// A call whose result nobody needs, to a function that is said to have no effects, still does not return.
extern int __VERIFIER_nondet_int(void);

static __attribute__((const)) int stuck(int x) {
    while (x == 3) { //@ loop: diverges when x == 3
    }
    return x;
}

int main(void) {
    (void)stuck(__VERIFIER_nondet_int());
    return 0;
}
