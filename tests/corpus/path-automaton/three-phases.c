// The third falls, so the second falls at last, so the first does, whichever of them is added.
extern int __VERIFIER_nondet_int(void);

int main(void) {
    int x = __VERIFIER_nondet_int();
    int y = __VERIFIER_nondet_int();
    int z = __VERIFIER_nondet_int();
    while (x >= 0) { //@ loop: terminates
        if (__VERIFIER_nondet_int() != 0) {
            x += y;
        } else {
            x += z;
        }
        y += z;
        z--;
    }
    return 0;
}
