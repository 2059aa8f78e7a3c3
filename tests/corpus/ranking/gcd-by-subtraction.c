// Both numbers stay positive, and one of them falls.
extern int __VERIFIER_nondet_int(void);

int main(void) {
    int a = __VERIFIER_nondet_int();
    int b = __VERIFIER_nondet_int();
    if (a <= 0 || b <= 0) {
        return 0;
    }
    while (a != b) { //@ loop: terminates
        if (a > b) {
            a -= b;
        } else {
            b -= a;
        }
    }
    return 0;
}
