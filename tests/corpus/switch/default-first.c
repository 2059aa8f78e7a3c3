// The default stands first, and is still the last resort.
extern int __VERIFIER_nondet_int(void);

int main(void) {
    int n = __VERIFIER_nondet_int();
    while (n >= 0) { //@ loop: terminates
        switch (n) {
        default:
            n = 5;
            break;
        case 5:
            n = -1;
        }
    }
    return 0;
}
