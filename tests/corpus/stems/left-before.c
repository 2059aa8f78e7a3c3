// The rounds that would be needed are more than the first loop can have.
extern int __VERIFIER_nondet_int(void);

int main(void) {
    unsigned n = (unsigned)__VERIFIER_nondet_int();
    unsigned i = 0;
    while (i < n && i < 4000) { //@ loop: terminates
        i++;
    }
    while (i == 5000) { //@ loop: terminates
    }
    return 0;
}
