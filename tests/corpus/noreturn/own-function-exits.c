// A function that is declared to never return, and ends the program.
extern int __VERIFIER_nondet_int(void);
_Noreturn void exit(int);

static _Noreturn void die(int x) {
    exit(x & 1);
}

int main(void) {
    int x = __VERIFIER_nondet_int();
    while (x > 5) { //@ loop: terminates; absent
        die(x);
    }
    while (x == 5) { //@ loop: diverges when x == 5
    }
    return 0;
}
