// The store is guarded, so null is a case like any other.
extern int __VERIFIER_nondet_int(void);

int main(void) {
    int v = 0;
    int c = __VERIFIER_nondet_int();
    int *p = c ? &v : 0;
    if (p) {
        *p = 1;
    }
    while (!p) { //@ loop: diverges when c == 0
    }
    return v;
}
