// A do loop that is none carries the progress.
extern unsigned char __VERIFIER_nondet_uchar(void);

int main(void) {
    int n = __VERIFIER_nondet_uchar();
    while (n > 0) { //@ loop: terminates
        do { //@ loop: terminates; absent
            n--;
        } while (0);
    }
    return 0;
}
