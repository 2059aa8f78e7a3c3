// The guard keeps the counter from its wrap.
extern unsigned __VERIFIER_nondet_uint(void);

int main(void) {
    unsigned n = __VERIFIER_nondet_uint();
    for (unsigned i = 0; i < n; i++) { //@ loop: terminates
    }
    return 0;
}
