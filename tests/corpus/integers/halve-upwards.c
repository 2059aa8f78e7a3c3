// Half of 1, rounded up, is 1.
extern unsigned char __VERIFIER_nondet_uchar(void);

int main(void) {
    int x = __VERIFIER_nondet_uchar();
    while (x > 0) { //@ loop: diverges when x > 0
        x = (x + 1) / 2;
    }
    return 0;
}
