// A range of cases; beyond it the loop ends.
extern int __VERIFIER_nondet_int(void);

int main(void) {
    int n = __VERIFIER_nondet_int();
    for (;;) { //@ loop: terminates
        switch (n) {
        case 0 ... 9:
            n++;
            break;
        default:
            return 0;
        }
    }
}
