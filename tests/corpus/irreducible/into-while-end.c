// A jump into the body of a while loop.
extern int __VERIFIER_nondet_int(void);

int main(void) {
    int i = __VERIFIER_nondet_int();
    if (i > 100) {
        goto inside;
    }
    while (i < 10) { //@ loop: terminates; within 5 lines
        i += 3;
    inside:
        i -= 2;
    }
    return 0;
}
