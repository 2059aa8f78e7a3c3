// Only an overflow can make this guard false, and a compiler may take it for true.
extern int __VERIFIER_nondet_int(void);

int main(void) {
    int x = __VERIFIER_nondet_int();
    while (x + 1 > x) { //@ loop: neither; wrap: terminates; ideal: diverges
        x++;
    }
    return 0;
}
