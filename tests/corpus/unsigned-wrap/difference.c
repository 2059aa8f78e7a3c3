// a - b is small also where a is beyond the wrap and b is not.
extern unsigned __VERIFIER_nondet_uint(void);

int main(void) {
    unsigned a = __VERIFIER_nondet_uint();
    unsigned b = __VERIFIER_nondet_uint();
    while (a - b < 100u) { //@ loop: terminates
        a++;
    }
    return 0;
}
