// Towards zero from either side.
extern int __VERIFIER_nondet_int(void);

int main(void) {
    int x = __VERIFIER_nondet_int();
    while (x != 0) { //@ loop: terminates
        if (x > 0) {
            x--;
        } else {
            x++;
        }
    }
    return 0;
}
