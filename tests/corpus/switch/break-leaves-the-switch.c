// break leaves the switch, not the loop.
extern int __VERIFIER_nondet_int(void);

int main(void) {
    int n = __VERIFIER_nondet_int();
    for (;;) { //@ loop: diverges when n == 0
        switch (n) {
        case 0:
            break;
        default:
            return 0;
        }
    }
}
