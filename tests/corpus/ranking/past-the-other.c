// Unequal numbers, which may never meet.
extern int __VERIFIER_nondet_int(void);

int main(void) {
    int x = __VERIFIER_nondet_int();
    int y = __VERIFIER_nondet_int();
    while (x != y) { //@ loop: neither; wrap: terminates; ideal: diverges
        x++;
    }
    return 0;
}
