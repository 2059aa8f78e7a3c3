// The result comes back in a local of the caller.
extern unsigned char __VERIFIER_nondet_uchar(void);

static void sum(unsigned n, unsigned *result) { //@ recursion: terminates
    unsigned rest = 0;
    if (n > 0) {
        sum(n - 1, &rest);
    }
    *result = n + rest;
}

int main(void) {
    unsigned all;
    sum(__VERIFIER_nondet_uchar(), &all);
    return all == 6;
}
