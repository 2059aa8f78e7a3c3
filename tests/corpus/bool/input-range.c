// An input of type _Bool is zero or one, whatever byte it comes in.
extern _Bool __VERIFIER_nondet_bool(void);

int main(void) {
    _Bool b = __VERIFIER_nondet_bool();
    int n = b;
    while (n > 1 || n < 0) { //@ loop: terminates
    }
    return 0;
}
