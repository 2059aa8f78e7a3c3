// No multiple of three is 5000.
extern int __VERIFIER_nondet_int(void);

int main(void) {
    int n = __VERIFIER_nondet_int();
    int i = 0;
    while (i < n) { //@ loop: terminates; tool wrap: unknown -- it may wrap on the way to its limit
        i += 3;
    }
    while (i == 5000) { //@ loop: terminates; tool: unknown; tool wrap: unknown; tool ideal: unknown -- that `i` is a multiple of three is not known
    }
    return 0;
}
