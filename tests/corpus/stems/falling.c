// Counted down from what was asked for, in strides; the rest decides.
extern unsigned __VERIFIER_nondet_uint(void);

int main(void) {
    unsigned left = __VERIFIER_nondet_uint();
    unsigned rounds = 0;
    while (left >= 10) { //@ loop: terminates
        left -= 10;
        rounds++;
    }
    while (rounds > 900 && left == 4) { //@ loop: diverges
    }
    return 0;
}
