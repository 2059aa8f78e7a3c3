// A remainder is below its divisor.
extern unsigned __VERIFIER_nondet_uint(void);

int main(void) {
    unsigned a = __VERIFIER_nondet_uint();
    unsigned b = __VERIFIER_nondet_uint();
    while (b != 0) { //@ loop: terminates; rounds: max(0, b + 1); rounds wrap: max(0, (uint32_t)b + 1)
        unsigned rest = a % b;
        a = b;
        b = rest;
    }
    return 0;
}
