// The inner call gives back more than it was given, so that the outer one goes on for ever.
extern int __VERIFIER_nondet_int(void);

static int up(int n) { //@ recursion: diverges; tool everywhere: unknown -- results of inner calls are not chosen
    if (n <= 0) {
        return 3;
    }
    return up(up(n - 1));
}

int main(void) {
    int n = __VERIFIER_nondet_int();
    if (n < 1 || n > 100) {
        return 0;
    }
    return up(n);
}
