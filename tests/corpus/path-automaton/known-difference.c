// One is greater than the other by one, so the first number stays below zero and the second falls.
extern int __VERIFIER_nondet_int(void);

int main(void) {
    int x = __VERIFIER_nondet_int();
    int y = __VERIFIER_nondet_int();
    int more = __VERIFIER_nondet_int();
    int less = __VERIFIER_nondet_int();
    if (more == less + 1 && x < 0) {
        while (x >= 0 || y >= 0) { //@ loop: terminates; tool wrap: unknown -- the difference of the two would have to be followed around the circle
            x = x + more - less - 1;
            y = y + less - more - 1;
        }
    }
    return 0;
}
