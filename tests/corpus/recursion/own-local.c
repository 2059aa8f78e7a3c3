// The callee changes its own locals, and the caller's counter stays what it is.
extern unsigned char __VERIFIER_nondet_uchar(void);

static void tree(unsigned n) { //@ recursion: terminates
    if (n == 0) {
        return;
    }
    for (int i = 0; i < 3; i++) { //@ loop: terminates
        tree(n - 1);
    }
}

int main(void) {
    tree(__VERIFIER_nondet_uchar());
    return 0;
}
