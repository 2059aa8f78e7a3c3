// The function calls what a pointer points to, and that is the function.
extern unsigned char __VERIFIER_nondet_uchar(void);

static void (*next)(unsigned);

static void down(unsigned n) { //@ recursion: terminates
    if (n > 0) {
        next(n - 1);
    }
}

int main(void) {
    next = down;
    next(__VERIFIER_nondet_uchar());
    return 0;
}
