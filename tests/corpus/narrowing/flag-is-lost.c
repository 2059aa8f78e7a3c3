// The flag is in a bit that the narrow type does not have.
extern int __VERIFIER_nondet_int(void);

int main(void) {
    int mask = __VERIFIER_nondet_int();
    signed char flag = (signed char)(mask & 0x100);
    while (flag) { //@ loop: terminates
    }
    return 0;
}
