// Of two conditions with a comma between, the second one counts.
extern unsigned char __VERIFIER_nondet_uchar(void);

int main(void) {
    int n = __VERIFIER_nondet_uchar();
    int j = 10;
    while (n--, n > 0) { //@ loop: terminates
    }
    for (unsigned i = 0; i < 5, j > 0; i++) { //@ loop: diverges
    }
    return 0;
}
