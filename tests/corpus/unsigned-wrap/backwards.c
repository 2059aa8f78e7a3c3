// Counting down past zero makes the index large, which ends this loop.
extern unsigned char __VERIFIER_nondet_uchar(void);

int main(void) {
    unsigned long n = __VERIFIER_nondet_uchar();
    for (unsigned long i = n - 1; i < n; i--) { //@ loop: terminates
    }
    return 0;
}
