// The program promises that x is never above 10; it may still be 10.
extern int __VERIFIER_nondet_int(void);

int main(void) {
    int x = __VERIFIER_nondet_int();
    if (x > 10) {
        __builtin_unreachable();
    }
    while (x > 10) { //@ loop: terminates
    }
    while (x == 10) { //@ loop: diverges when x == 10
    }
    return 0;
}
