// A jump into the body of a while loop; the step comes to nothing.
extern int __VERIFIER_nondet_int(void);

int main(void) {
    int i = __VERIFIER_nondet_int();
    if (i > 100) {
        goto inside;
    }
    while (i < 10) { //@ loop: diverges when i < 10; within 5 lines
        i += 3;
    inside:
        i -= 3;
    }
    return 0;
}
