// The inner loop brings one number down to another; that one grows by ever less, and at last it shrinks.
extern int __VERIFIER_nondet_int(void);

int main(void) {
    int gain = __VERIFIER_nondet_int();
    int floor = __VERIFIER_nondet_int();
    int level = __VERIFIER_nondet_int();
    while (floor >= 1) { //@ loop: terminates
        gain--;
        while (floor < level) { //@ loop: terminates
            level--;
        }
        floor += gain;
    }
    return 0;
}
