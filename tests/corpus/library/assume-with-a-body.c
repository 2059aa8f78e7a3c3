// The body is how the header of a verification tool writes it down; a run that it excludes does not count.
extern int __VERIFIER_nondet_int(void);

void __VERIFIER_assume(int condition) {
    while (!condition) { //@ loop: terminates; absent
    }
}

int main(void) {
    int n = __VERIFIER_nondet_int();
    __VERIFIER_assume(n > 0);
    while (n != 0) { //@ loop: terminates
        n--;
    }
    return 0;
}
