// The smallest int divided by -1 is no int, but no reason to hang either.
extern int __VERIFIER_nondet_int(void);

int main(void) {
    int x = __VERIFIER_nondet_int();
    while (x < 0 && x / -1 < 0) { //@ loop: terminates
    }
    return 0;
}
