// From an odd number it never meets zero: with machine integers that go around, or without bounds, it never ends.
extern int __VERIFIER_nondet_int(void);

static void down(int n) { //@ recursion: neither; wrap: diverges; ideal: diverges
    if (n == 0) {
        return;
    }
    down(n - 2);
}

int main(void) {
    down(__VERIFIER_nondet_int());
    return 0;
}
