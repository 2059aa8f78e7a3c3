// For one argument, far from all others that the text names in its comparisons but one, the inner call gives back a number that lets the outer one go on.
extern int __VERIFIER_nondet_int(void);

static int rare(int n) { //@ recursion: diverges; tool everywhere: unknown -- the way there is long
    if (n <= 0) {
        return 0;
    }
    if (n * 7 == 544439) {
        return 5;
    }
    int r = rare(n - 1);
    if (r > 0) {
        return rare(n + 1);
    }
    return r;
}

int main(void) {
    return rare(__VERIFIER_nondet_int());
}
