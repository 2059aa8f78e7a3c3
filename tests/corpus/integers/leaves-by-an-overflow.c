// Over the integers it is left at once; where numbers wrap the greatest one stays.
extern int __VERIFIER_nondet_int(void);

int main(void) {
    int x = __VERIFIER_nondet_int();
    for (;;) { //@ loop: neither; wrap: diverges; ideal: terminates; absent
        if (x + 1 > x) {
            return 0;
        }
    }
}
