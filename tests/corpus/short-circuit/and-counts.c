// The right side of && counts down each time that matters.
extern int __VERIFIER_nondet_int(void);

int main(void) {
    int x = __VERIFIER_nondet_int();
    int y = 10;
    while (x > 0 && y-- > 0) { //@ loop: terminates
    }
    return 0;
}
