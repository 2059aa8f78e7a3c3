// The greater of the two falls in every round, though each of them may rise.
extern int __VERIFIER_nondet_int(void);

int main(void) {
    int x = __VERIFIER_nondet_int();
    int y = __VERIFIER_nondet_int();
    while (x >= 0 || y >= 0) { //@ loop: terminates
        int kept = x;
        x = y - 1;
        y = kept - 1;
    }
    return 0;
}
