// The sum of two large bounds wraps, and the middle lies below both.
extern unsigned __VERIFIER_nondet_uint(void);

int main(void) {
    unsigned low = __VERIFIER_nondet_uint();
    unsigned high = __VERIFIER_nondet_uint();
    while (low < high) { //@ loop: diverges when low < high && high > 2147483648u
        unsigned middle = (low + high) / 2;
        low = middle + 1;
    }
    return 0;
}
