// A division by zero before the loop: nothing behind it is reached.
extern int __VERIFIER_nondet_int(void);

int main(void) {
    int x = __VERIFIER_nondet_int();
    int zero = 0;
    int y = x / zero;
    while (1) { //@ loop: terminates; absent
        y = x;
    }
    return y;
}
