// An array whose length is an input.
extern int __VERIFIER_nondet_int(void);
extern void __VERIFIER_assume(int);

int main(void) {
    int n = __VERIFIER_nondet_int();
    __VERIFIER_assume(n >= 1 && n <= 10);
    int a[n];
    for (int i = 0; i < n; i++) { //@ loop: terminates
        a[i] = i;
    }
    while (a[0] == 0) { //@ loop: diverges
    }
    return 0;
}
