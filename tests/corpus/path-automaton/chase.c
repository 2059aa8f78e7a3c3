// Either step alone ends, and they take turns; the first can be taken only as often as there is room below the limit.
extern int __VERIFIER_nondet_int(void);

int main(void) {
    int low = __VERIFIER_nondet_int();
    int limit = __VERIFIER_nondet_int();
    int other = __VERIFIER_nondet_int();
    while (low < limit) { //@ loop: terminates; slow wrap
        if (other > low) {
            low++;
        } else {
            other++;
        }
    }
    return 0;
}
