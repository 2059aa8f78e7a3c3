// One loop, called from two places.
extern int __VERIFIER_nondet_int(void);

static int down(int x) {
    while (x > 0) { //@ loop: terminates
        x--;
    }
    return x;
}

int main(void) {
    return down(3) + down(__VERIFIER_nondet_int() & 255);
}
