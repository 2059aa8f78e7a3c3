// The next multiple of 8 is near, on both sides of zero.
extern short __VERIFIER_nondet_short(void);

int main(void) {
    int x = __VERIFIER_nondet_short();
    while (x % 8 != 0) { //@ loop: terminates; tool: unknown; tool ideal: unknown -- over the integers a remainder needs a measure with cases, one for each side of zero
        x++;
    }
    return 0;
}
