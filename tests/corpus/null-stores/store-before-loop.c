// A store through null guards the loop; it is no assumption about x.
extern int __VERIFIER_nondet_int(void);

int main(void) {
    int x = __VERIFIER_nondet_int();
    int *p = 0;
    if (x > 5) {
        *p = 0;
    }
    while (x > 5) { //@ loop: terminates
    }
    return 0;
}
