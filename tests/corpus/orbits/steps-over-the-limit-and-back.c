// Up to ten, then back and forth: no single way around the loop comes back to its own condition.
extern int __VERIFIER_nondet_int(void);

int main(void) {
    int x = __VERIFIER_nondet_int();
    while (x < 11) { //@ loop: diverges
        if (x < 10) {
            x++;
        } else {
            x--;
        }
    }
    return 0;
}
