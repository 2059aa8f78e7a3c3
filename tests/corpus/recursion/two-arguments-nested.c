// Ackermann's function: the second argument is what another call gives back.
extern int __VERIFIER_nondet_int(void);

static int grow(int m, int n) { //@ recursion: terminates; slow everywhere
    if (m == 0) {
        return n + 1;
    }
    if (n == 0) {
        return grow(m - 1, 1);
    }
    return grow(m - 1, grow(m, n - 1));
}

int main(void) {
    int m = __VERIFIER_nondet_int();
    int n = __VERIFIER_nondet_int();
    if (m < 0 || m > 2 || n < 0 || n > 9) {
        return 0;
    }
    return grow(m, n);
}
