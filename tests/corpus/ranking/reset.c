// The small counter starts again whenever the large one falls.
extern int __VERIFIER_nondet_int(void);

int main(void) {
    int large = __VERIFIER_nondet_int();
    int small = __VERIFIER_nondet_int();
    int n = __VERIFIER_nondet_int();
    while (large > 0 && small > 0) { //@ loop: terminates
        if (__VERIFIER_nondet_int()) {
            large--;
            small = n;
        } else {
            small--;
        }
    }
    return 0;
}
