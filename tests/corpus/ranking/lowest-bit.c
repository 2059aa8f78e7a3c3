// Each round takes away the lowest bit that is set.
extern unsigned __VERIFIER_nondet_uint(void);

int main(void) {
    unsigned x = __VERIFIER_nondet_uint();
    int bits = 0;
    while (x) { //@ loop: terminates; tool: unknown; tool ideal: unknown -- over the integers bits are sums of remainders
        x &= x - 1;
        bits++;
    }
    return bits;
}
