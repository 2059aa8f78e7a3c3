// The bound of the inner loop is the counter of the outer one.
extern unsigned char __VERIFIER_nondet_uchar(void);

int main(void) {
    int n = __VERIFIER_nondet_uchar();
    for (int i = 0; i < n; i++) { //@ loop: terminates
        for (int j = 0; j < i; j++) { //@ loop: terminates
        }
    }
    return 0;
}
