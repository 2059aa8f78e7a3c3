// What is undefined behind a loop does not undo the loop.
extern int __VERIFIER_nondet_int(void);

int main(void) {
    int x = __VERIFIER_nondet_int();
    int *p = 0;
    while (x > 5) { //@ loop: diverges when x > 5
    }
    *p = 0;
    return 0;
}
