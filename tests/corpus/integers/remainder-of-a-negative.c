// -3 % 2 is -1: a test for odd numbers that forgets the negative ones.
extern int __VERIFIER_nondet_int(void);

int main(void) {
    int x = __VERIFIER_nondet_int();
    while (x % 2 != 0 && x % 2 != 1) { //@ loop: diverges when x % 2 == -1
    }
    return 0;
}
