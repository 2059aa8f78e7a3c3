// An index that is not known: the element that is counted down may be the other one.
extern unsigned __VERIFIER_nondet_uint(void);

int main(void) {
    unsigned a[2] = {5, 1};
    unsigned i = __VERIFIER_nondet_uint() & 1;
    while (a[0] > 0) { //@ loop: diverges when i == 1
        a[i]--;
    }
    return 0;
}
