// A conversion to _Bool asks for zero; it does not cut bits off.
extern int __VERIFIER_nondet_int(void);

int main(void) {
    int x = __VERIFIER_nondet_int();
    _Bool b = x & 0x100;
    while (b) { //@ loop: diverges when (x & 256) != 0
    }
    return 0;
}
