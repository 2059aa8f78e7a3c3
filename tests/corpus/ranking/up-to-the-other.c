// Unequal numbers, of which the smaller one comes nearer.
extern int __VERIFIER_nondet_int(void);

int main(void) {
    int x = __VERIFIER_nondet_int();
    int y = __VERIFIER_nondet_int();
    if (x > y) {
        return 0;
    }
    while (x != y) { //@ loop: terminates
        x++;
    }
    return 0;
}
