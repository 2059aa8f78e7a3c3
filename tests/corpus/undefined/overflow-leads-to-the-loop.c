// Only an overflow leads to the loop.
extern int __VERIFIER_nondet_int(void);

int main(void) {
    int x = __VERIFIER_nondet_int();
    int y = x + 1;
    if (y < x) {
        while (1) { //@ loop: terminates; wrap: diverges when x == 2147483647
        }
    }
    return 0;
}
