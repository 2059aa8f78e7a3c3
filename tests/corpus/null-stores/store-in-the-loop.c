// The crash is the only way out.
extern unsigned char __VERIFIER_nondet_uchar(void);

int main(void) {
    unsigned n = __VERIFIER_nondet_uchar();
    int *p = 0;
    while (1) { //@ loop: terminates
        if (n == 0) {
            *p = 1;
        }
        n--;
    }
    return 0;
}
