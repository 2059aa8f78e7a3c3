// The one path can always be taken again, over numbers without bound.
extern int __VERIFIER_nondet_int(void);

int main(void) {
    int x = __VERIFIER_nondet_int();
    while (x > 0) { //@ loop: neither; ideal: diverges; wrap: terminates
        x++;
    }
    return 0;
}
