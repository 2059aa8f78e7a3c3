// The division is left out where it would be undefined.
extern int __VERIFIER_nondet_int(void);

int main(void) {
    int d = __VERIFIER_nondet_int();
    while (d != 0 && 10 / d > 20) { //@ loop: terminates
    }
    while (d == 0 || 10 / d > 20) { //@ loop: diverges when d == 0
    }
    return 0;
}
