// Unequal numbers, of which the smaller one comes nearer.
extern int __VERIFIER_nondet_int(void);

int main(void) {
    int x = __VERIFIER_nondet_int();
    int y = __VERIFIER_nondet_int();
    if (x > y) {
        return 0;
    }
    while (x != y) { //@ loop: terminates; rounds: max(0, y - x + 1); rounds wrap: max(0, y - x + 1); rounds ideal: max(0, y - x + 1)
        x++;
    }
    return 0;
}
