// A range of cases; beyond it the loop ends.
extern int __VERIFIER_nondet_int(void);

int main(void) {
    int n = __VERIFIER_nondet_int();
    for (;;) { //@ loop: terminates; tool: unknown; tool ideal: unknown -- a range of cases is a list of values, not two bounds
        switch (n) {
        case 0 ... 9:
            n++;
            break;
        default:
            return 0;
        }
    }
}
