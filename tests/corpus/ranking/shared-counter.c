// The inner loop uses up what the outer one counts.
extern int __VERIFIER_nondet_int(void);

int main(void) {
    int x = __VERIFIER_nondet_int();
    int y = __VERIFIER_nondet_int();
    while (x > 0) { //@ loop: terminates
        while (y > 0 && x > 0) { //@ loop: terminates
            y--;
            x--;
        }
        y = __VERIFIER_nondet_int();
        x--;
    }
    return 0;
}
