// The function calls what a pointer points to, and that is the function; zero goes around.
extern unsigned char __VERIFIER_nondet_uchar(void);

static void (*next)(unsigned);

static void down(unsigned n) { //@ recursion: diverges
    if (n != 1) {
        next(n == 0 ? 4 : n - 2);
    }
}

int main(void) {
    next = down;
    next(__VERIFIER_nondet_uchar());
    return 0;
}
