// x may grow for long, but y falls, and from the day it is negative x falls too.
extern int __VERIFIER_nondet_int(void);

int main(void) {
    int x = __VERIFIER_nondet_int();
    int y = __VERIFIER_nondet_int();
    while (x > 0) { //@ loop: terminates
        x += y;
        y--;
    }
    return 0;
}
