// One way to the loop leaves the variable unknown.
extern int __VERIFIER_nondet_int(void);

int main(void) {
    int x;
    if (__VERIFIER_nondet_int()) {
        x = 0;
    }
    while (x) { //@ loop: neither
    }
    return 0;
}
