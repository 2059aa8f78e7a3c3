// The default case goes back to the guard without a step.
extern unsigned char __VERIFIER_nondet_uchar(void);

int main(void) {
    int n = __VERIFIER_nondet_uchar();
    while (n > 0) { //@ loop: diverges when n > 0
        switch (n) {
        case 3:
            n--;
            break;
        default:
            continue;
        }
        n--;
    }
    return 0;
}
