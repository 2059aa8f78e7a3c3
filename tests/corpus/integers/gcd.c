// Subtracting zero is no step.
extern unsigned char __VERIFIER_nondet_uchar(void);

int main(void) {
    unsigned a = __VERIFIER_nondet_uchar();
    unsigned b = __VERIFIER_nondet_uchar();
    while (a != b) { //@ loop: diverges when a != b && (a == 0 || b == 0)
        if (a > b) {
            a -= b;
        } else {
            b -= a;
        }
    }
    return 0;
}
