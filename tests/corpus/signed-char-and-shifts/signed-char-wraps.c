// The conversion back to signed char makes it negative: this is no overflow.
extern signed char __VERIFIER_nondet_schar(void);

int main(void) {
    signed char c = __VERIFIER_nondet_schar();
    while (c > 0) { //@ loop: terminates
        c++;
    }
    return 0;
}
