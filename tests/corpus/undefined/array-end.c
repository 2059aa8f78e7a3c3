// There is no guard: reading behind the array ends the run.
extern unsigned char __VERIFIER_nondet_uchar(void);

int main(void) {
    int a[4] = {1, 2, 3, 4};
    int s = 0;
    unsigned i = __VERIFIER_nondet_uchar();
    for (;; i++) { //@ loop: terminates
        s ^= a[i];
    }
    return s;
}
