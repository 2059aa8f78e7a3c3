// Bubble sort: a pass that moves nothing is the last.
extern signed char __VERIFIER_nondet_schar(void);

int main(void) {
    int a = __VERIFIER_nondet_schar();
    int b = __VERIFIER_nondet_schar();
    int moved;
    do { //@ loop: terminates
        moved = 0;
        for (int i = 0; i < 1; i++) { //@ loop: terminates
            if (a > b) {
                int t = a;
                a = b;
                b = t;
                moved = 1;
            }
        }
    } while (moved);
    return 0;
}
