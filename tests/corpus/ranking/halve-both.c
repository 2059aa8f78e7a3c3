// Halves of positive numbers are smaller.
extern int __VERIFIER_nondet_int(void);

int main(void) {
    int x = __VERIFIER_nondet_int();
    int rounds = 0;
    while (x != 0) { //@ loop: terminates
        x /= 2;
        rounds++;
    }
    return rounds;
}
