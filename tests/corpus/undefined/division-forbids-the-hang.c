// The guard is true only for the divisor that the division before it forbids.
extern int __VERIFIER_nondet_int(void);

int main(void) {
    int d = __VERIFIER_nondet_int();
    int q = 100 / d;
    while (d == 0) { //@ loop: terminates
        q = d;
    }
    return q;
}
