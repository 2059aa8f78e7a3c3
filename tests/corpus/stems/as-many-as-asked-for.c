// The first loop runs as often as the input says; the second one hangs after 5000 rounds of it.
extern int __VERIFIER_nondet_int(void);

int main(void) {
    int n = __VERIFIER_nondet_int();
    int i = 0;
    while (i < n) { //@ loop: terminates
        i++;
    }
    while (i == 5000) { //@ loop: diverges
    }
    return 0;
}
