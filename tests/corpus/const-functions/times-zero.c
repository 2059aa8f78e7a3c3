// The result does not matter, the call does.
extern int __VERIFIER_nondet_int(void);

static __attribute__((pure)) unsigned step(unsigned x) {
    while (x != 0) { //@ loop: diverges when x % 2 == 1
        x -= 2;
    }
    return x;
}

int main(void) {
    unsigned x = (unsigned)__VERIFIER_nondet_int();
    return (int)(0 * step(x));
}
