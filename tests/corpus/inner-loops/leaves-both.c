// The inner loop is left for good, so the outer one never begins again.
extern unsigned char __VERIFIER_nondet_uchar(void);

int main(void) {
    unsigned n = __VERIFIER_nondet_uchar();
    for (;;) { //@ loop: terminates; absent
        for (;;) { //@ loop: terminates
            if (n == 0) {
                goto out;
            }
            n--;
        }
    }
out:
    return 0;
}
