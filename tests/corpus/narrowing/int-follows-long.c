// An int cannot reach every long long; over the integers it can.
extern long long __VERIFIER_nondet_longlong(void);

int main(void) {
    long long n = __VERIFIER_nondet_longlong();
    int i = 0;
    while (i < n) { //@ loop: terminates; wrap: diverges when n > 2147483647; tool: unknown -- it hangs where numbers wrap, and `c` says so instead of an end
        i++;
    }
    return 0;
}
