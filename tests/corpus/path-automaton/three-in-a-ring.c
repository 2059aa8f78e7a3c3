// Each adds to the next one: none of them falls once all are above zero.
extern int __VERIFIER_nondet_int(void);

int main(void) {
    int x = __VERIFIER_nondet_int();
    int y = __VERIFIER_nondet_int();
    int z = __VERIFIER_nondet_int();
    while (x > 0) { //@ loop: neither; ideal: diverges; wrap: diverges
        x += y;
        y += z;
        z += x;
    }
    return 0;
}
