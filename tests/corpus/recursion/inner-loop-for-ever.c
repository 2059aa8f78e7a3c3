// The recursion would end, and a loop in it does not.
extern unsigned char __VERIFIER_nondet_uchar(void);

static void down(unsigned n) { //@ recursion: diverges
    if (n == 0) {
        return;
    }
    while (n == 7) { //@ loop: diverges
    }
    down(n - 1);
}

int main(void) {
    down(__VERIFIER_nondet_uchar());
    return 0;
}
