// The progress of the outer loop is in an inner loop that never runs.
extern unsigned char __VERIFIER_nondet_uchar(void);

int main(void) {
    int n = __VERIFIER_nondet_uchar();
    while (n > 0) { //@ loop: diverges when n > 0
        for (int j = 0; j < 0; j++) { //@ loop: terminates; absent
            n--;
        }
    }
    return 0;
}
