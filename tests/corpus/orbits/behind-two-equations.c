// Only one pair of numbers gets past the equations; with it the walk goes round, and a round of it is long.
extern int __VERIFIER_nondet_int(void);

int main(void) {
    int a = __VERIFIER_nondet_int();
    int b = __VERIFIER_nondet_int();
    if (a < 0 || a > 100000 || b < 0 || b > 100000 || a + 3 * b != 90210 || a - b != 2) {
        return 1;
    }
    int at = a % 1000;
    while (at != 7) { //@ loop: diverges
        at = (at * 33 + 91) % 1000;
    }
    return 0;
}
