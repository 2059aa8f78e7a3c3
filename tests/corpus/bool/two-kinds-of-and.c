// 1 && 2 is true, 1 & 2 is not.
extern int __VERIFIER_nondet_int(void);

int main(void) {
    int a = __VERIFIER_nondet_int();
    int b = 2 * (a & 1);
    while ((a & 1) & b) { //@ loop: terminates; tool wrap: unknown -- that `b` is twice a bit needs an invariant over bits
    }
    while ((a & 1) && b) { //@ loop: diverges when a % 2 != 0
    }
    return 0;
}
