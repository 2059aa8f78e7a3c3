// A call through a null pointer does not come back.
extern int __VERIFIER_nondet_int(void);

static void nothing(void) {
}

int main(void) {
    int x = __VERIFIER_nondet_int();
    void (*f)(void) = x > 0 ? 0 : nothing;
    f();
    while (x > 0) { //@ loop: terminates
    }
    while (x == 0) { //@ loop: diverges when x == 0
    }
    return 0;
}
