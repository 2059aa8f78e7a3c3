// Only one branch of ?: steps.
extern int __VERIFIER_nondet_int(void);

int main(void) {
    int c = __VERIFIER_nondet_int();
    int n = 10;
    while (n > 0) { //@ loop: diverges when c == 0
        c ? n-- : 0;
    }
    return 0;
}
