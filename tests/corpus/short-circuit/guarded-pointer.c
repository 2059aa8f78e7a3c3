// The pointer is read only where it is not null.
extern int __VERIFIER_nondet_int(void);

int main(void) {
    int v = 1;
    int c = __VERIFIER_nondet_int();
    int *p = c ? &v : 0;
    while (p && *p) { //@ loop: diverges when c != 0
    }
    return 0;
}
