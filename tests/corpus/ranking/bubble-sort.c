// The part that is still to be sorted becomes shorter, whatever the numbers are.
extern int __VERIFIER_nondet_int(void);

int main(void) {
    int a[100];
    int n = __VERIFIER_nondet_int();
    if (n < 0 || n > 100) {
        return 0;
    }
    for (int i = 0; i < n; i++) { //@ loop: terminates; rounds: max(0, 100 - i); rounds wrap: max(0, 100 - i)
        a[i] = __VERIFIER_nondet_int();
    }
    for (int end = n - 1; end > 0; end--) { //@ loop: terminates; rounds: max(0, end + 1)
        for (int i = 0; i < end; i++) { //@ loop: terminates
            if (a[i] > a[i + 1]) {
                int kept = a[i];
                a[i] = a[i + 1];
                a[i + 1] = kept;
            }
        }
    }
    return 0;
}
