// Each case steps, and one goes on into the next.
extern int __VERIFIER_nondet_int(void);

int main(void) {
    int n = __VERIFIER_nondet_int() & 255;
    while (n > 0) { //@ loop: terminates
        switch (n % 2) {
        case 1:
            n--;
        case 0:
            n -= 2;
        }
    }
    return 0;
}
