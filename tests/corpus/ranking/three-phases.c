// z turns y around, and y turns x around.
extern int __VERIFIER_nondet_int(void);

int main(void) {
    int x = __VERIFIER_nondet_int();
    int y = __VERIFIER_nondet_int();
    int z = __VERIFIER_nondet_int();
    while (x > 0) { //@ loop: terminates
        x += y;
        y += z;
        z--;
    }
    return 0;
}
