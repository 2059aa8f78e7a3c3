// How fast the one grows depends on the other, which grows as well.
extern int __VERIFIER_nondet_int(void);

int main(void) {
    int x = __VERIFIER_nondet_int();
    int y = __VERIFIER_nondet_int();
    while (x < 0 && y > 0) { //@ loop: terminates
        x += y;
        y++;
    }
    return 0;
}
