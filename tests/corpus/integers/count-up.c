// Only an overflow ends it.
extern int __VERIFIER_nondet_int(void);

int main(void) {
    int x = __VERIFIER_nondet_int();
    while (x > 0) { //@ loop: neither; wrap: terminates; ideal: diverges
        x++;
    }
    return 0;
}
