// Only the 700th hit hangs; other rounds do nothing.
extern int __VERIFIER_nondet_int(void);

int main(void) {
    int hits = 0;
    for (;;) { //@ loop: diverges
        if (__VERIFIER_nondet_int() == 1) {
            hits++;
        }
        if (hits == 700) {
            for (;;) { //@ loop: diverges
            }
        }
        if (__VERIFIER_nondet_int() == 3) {
            return 0;
        }
    }
}
