// Each number must be greater than the one before. As ints there is a last one; integers of any size have none.
extern int __VERIFIER_nondet_int(void);

int main(void) {
    int best = __VERIFIER_nondet_int();
    for (;;) { //@ loop: terminates; ideal: diverges; tool ideal: unknown -- no engine chooses inputs that grow without a bound
        int next = __VERIFIER_nondet_int();
        if (next <= best) {
            return 0;
        }
        best = next;
    }
}
