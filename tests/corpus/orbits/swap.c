// Two values change places; only if they differ does it matter, and then it goes on for ever.
extern int __VERIFIER_nondet_int(void);

int main(void) {
    int a = __VERIFIER_nondet_int();
    int b = __VERIFIER_nondet_int();
    while (a != b) { //@ loop: diverges
        int t = a;
        a = b;
        b = t;
    }
    return 0;
}
