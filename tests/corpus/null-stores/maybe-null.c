// The store shows that p was not null.
extern int __VERIFIER_nondet_int(void);

int main(void) {
    int v = 0;
    int c = __VERIFIER_nondet_int();
    int *p = c ? &v : 0;
    *p = 1;
    while (c == 0) { //@ loop: terminates
    }
    while (*p == 1) { //@ loop: diverges when c != 0
    }
    return 0;
}
