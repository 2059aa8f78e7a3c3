// A new value is at most as far above the last one as the allowance reaches, which falls; or the floor rises.
extern int __VERIFIER_nondet_int(void);

int main(void) {
    int value = __VERIFIER_nondet_int();
    int floor = __VERIFIER_nondet_int();
    int allowance = __VERIFIER_nondet_int();
    int last = __VERIFIER_nondet_int();
    while (value >= floor && value <= last + allowance) { //@ loop: terminates
        if (__VERIFIER_nondet_int() != 0) {
            allowance--;
            last = value;
            value = __VERIFIER_nondet_int();
        } else {
            floor++;
        }
    }
    return 0;
}
