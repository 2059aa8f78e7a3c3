// A pointer to one of two elements changes that one only.
extern int __VERIFIER_nondet_int(void);

int main(void) {
    int a[4];
    int n = __VERIFIER_nondet_int();
    int *q = n > 7 ? &a[1] : &a[2];
    for (int i = 0; i < 4; i++) { //@ loop: terminates
        a[i] = 0;
    }
    *q = 5;
    while (n <= 7 && a[1] == 5) { //@ loop: terminates; tool everywhere: unknown -- which element was written is an invariant over array contents
    }
    while (n <= 7 && a[2] == 5) { //@ loop: diverges when n <= 7
    }
    return 0;
}
