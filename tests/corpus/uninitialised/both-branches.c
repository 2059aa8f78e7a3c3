// Every way to the loop sets the variable.
extern int __VERIFIER_nondet_int(void);

int main(void) {
    int x;
    if (__VERIFIER_nondet_int()) {
        x = 1;
    } else {
        x = 2;
    }
    while (x > 0) { //@ loop: diverges
    }
    return 0;
}
