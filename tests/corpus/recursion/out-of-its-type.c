// The result grows beyond its type: counted up without bounds it never meets the limit again.
extern int __VERIFIER_nondet_int(void);

static int power(int n) { //@ recursion: neither; wrap: terminates; ideal: diverges; tool ideal: unknown -- a recursion has no summary: what it returns is unknown
    if (n <= 0) {
        return 1;
    }
    int k = 2 * power(n - 1);
    while (k > 0 && k != 3) { //@ loop: neither; wrap: terminates; ideal: diverges; tool ideal: unknown -- a recursion has no summary: what it returns is unknown
        k++;
    }
    return 4;
}

int main(void) {
    return power(__VERIFIER_nondet_int());
}
