// The middle is never outside the range, and one of the ends passes it.
extern int __VERIFIER_nondet_int(void);

int main(void) {
    int wanted = __VERIFIER_nondet_int();
    int low = 0;
    int high = 1000;
    while (low < high) { //@ loop: terminates
        int middle = low + (high - low) / 2;
        if (middle < wanted) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return 0;
}
