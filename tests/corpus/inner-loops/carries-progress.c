// The inner loop takes nearly everything away.
extern int __VERIFIER_nondet_int(void);

int main(void) {
    int n = __VERIFIER_nondet_int();
    while (n > 0) { //@ loop: terminates
        while (n > 10) { //@ loop: terminates
            n--;
        }
        n--;
    }
    return 0;
}
