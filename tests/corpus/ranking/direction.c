// Which way it goes is settled before the loop; either way one of the guards is left.
extern int __VERIFIER_nondet_int(void);

int main(void) {
    int y = __VERIFIER_nondet_int();
    int z = __VERIFIER_nondet_int();
    int step = __VERIFIER_nondet_int() ? 1 : -1;
    while (y < 100 && z < 100) { //@ loop: terminates
        y += step;
        z -= step;
    }
    return 0;
}
