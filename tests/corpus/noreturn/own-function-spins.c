// A function that never returns because it runs for ever.
extern int __VERIFIER_nondet_int(void);

static _Noreturn void halt(void) {
    for (;;) { //@ loop: diverges when x == 7
    }
}

int main(void) {
    int x = __VERIFIER_nondet_int();
    if (x == 7) {
        halt();
    }
    return 0;
}
