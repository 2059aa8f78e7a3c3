// The step is the right side of &&, and is left out.
extern int __VERIFIER_nondet_int(void);

int main(void) {
    int go = __VERIFIER_nondet_int();
    int n = 10;
    while (n > 0) { //@ loop: diverges when go == 0
        (void)(go && n--);
    }
    return 0;
}
