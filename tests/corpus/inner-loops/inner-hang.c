// The outer loop counts down, but the inner one does not come back.
extern unsigned char __VERIFIER_nondet_uchar(void);

int main(void) {
    unsigned m = __VERIFIER_nondet_uchar();
    for (int n = 3; n > 0; n--) { //@ loop: diverges when m % 2 == 1
        while (m != 0) { //@ loop: diverges when m % 2 == 1
            m -= 2;
        }
    }
    return 0;
}
