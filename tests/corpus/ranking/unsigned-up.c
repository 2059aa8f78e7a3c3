// The guard keeps the counter from its wrap.
extern unsigned __VERIFIER_nondet_uint(void);

int main(void) {
    unsigned n = __VERIFIER_nondet_uint();
    for (unsigned i = 0; i < n; i++) { //@ loop: terminates; rounds: max(0, n - i + 1); rounds wrap: max(0, (uint32_t)n - (uint32_t)i + 1)
    }
    return 0;
}
