// The second argument is a remainder by itself.
extern unsigned __VERIFIER_nondet_uint(void);

static unsigned divisor(unsigned a, unsigned b) { //@ recursion: terminates
    return b == 0 ? a : divisor(b, a % b);
}

int main(void) {
    unsigned a = __VERIFIER_nondet_uint();
    return divisor(a, __VERIFIER_nondet_uint()) == 1;
}
