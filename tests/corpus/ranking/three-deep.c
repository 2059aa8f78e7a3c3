// Three counters, each bounded by the one outside it.
extern int __VERIFIER_nondet_int(void);

int main(void) {
    int n = __VERIFIER_nondet_int();
    for (int i = n; i > 0; i--) { //@ loop: terminates
        for (int j = 0; j < i; j++) { //@ loop: terminates
            for (int k = j; k > 0; k--) { //@ loop: terminates; rounds: max(0, k + 1); rounds wrap: max(0, k + 1); rounds ideal: max(0, k + 1)
            }
        }
    }
    return 0;
}
