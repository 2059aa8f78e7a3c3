// The loop runs only for the shift amounts that are undefined.
extern int __VERIFIER_nondet_int(void);

int main(void) {
    int n = __VERIFIER_nondet_int();
    unsigned mask = 1u << n;
    while (n < 0 || n > 31) { //@ loop: terminates
        mask++;
    }
    return 0;
}
