// Nothing ends it.
extern unsigned __VERIFIER_nondet_uint(void);

static void upwards(unsigned n) { //@ recursion: diverges
    upwards(n + 1);
}

int main(void) {
    upwards(__VERIFIER_nondet_uint());
    return 0;
}
