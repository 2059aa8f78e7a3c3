// The smallest int has no positive counterpart.
extern int __VERIFIER_nondet_int(void);

int main(void) {
    int x = __VERIFIER_nondet_int();
    while (x < 0) { //@ loop: terminates; wrap: diverges when x == -2147483648; tool: unknown -- it hangs where numbers wrap, and `c` says so instead of an end
        x = -x;
    }
    return 0;
}
