// Bubble sort that swaps equal elements, for ever.
extern signed char __VERIFIER_nondet_schar(void);

int main(void) {
    int v[3];
    int moved;
    for (int i = 0; i < 3; i++) { //@ loop: terminates
        v[i] = __VERIFIER_nondet_schar();
    }
    do { //@ loop: diverges when two of the inputs are equal; tool everywhere: unknown -- that an array comes back to its content needs an invariant over array contents
        moved = 0;
        for (int i = 0; i < 2; i++) { //@ loop: terminates
            if (v[i] >= v[i + 1]) {
                int t = v[i];
                v[i] = v[i + 1];
                v[i + 1] = t;
                moved = 1;
            }
        }
    } while (moved);
    return 0;
}
