// The argument falls to zero, whatever it starts with.
extern unsigned __VERIFIER_nondet_uint(void);

static void down(unsigned n) { //@ recursion: terminates
    if (n == 0) {
        return;
    }
    down(n - 1);
}

int main(void) {
    down(__VERIFIER_nondet_uint());
    return 0;
}
