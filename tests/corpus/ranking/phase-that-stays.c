// y falls to a value at which x does not fall any more.
extern int __VERIFIER_nondet_int(void);

int main(void) {
    int x = __VERIFIER_nondet_int();
    int y = __VERIFIER_nondet_int();
    while (x > 0) { //@ loop: diverges when x > 0 && y == 0
        x += y;
        if (y > 0) {
            y--;
        }
    }
    return 0;
}
