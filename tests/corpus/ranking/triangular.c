// Each round of the outer loop makes the inner one a step shorter.
extern int __VERIFIER_nondet_int(void);

int main(void) {
    int n = __VERIFIER_nondet_int();
    for (int i = 0; i < n; i++) { //@ loop: terminates; rounds: max(0, n - i + 1); rounds ideal: max(0, n - i + 1)
        for (int j = i; j < n; j++) { //@ loop: terminates; rounds: max(0, n - j + 1); rounds wrap: max(0, n - j + 1); rounds ideal: max(0, n - j + 1)
        }
    }
    return 0;
}
