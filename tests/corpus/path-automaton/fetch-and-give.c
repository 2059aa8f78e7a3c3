// A new value is at most as far above the last one as the allowance reaches, which falls; or the floor rises.
extern unsigned char __VERIFIER_nondet_uchar(void);

int main(void) {
    int value = __VERIFIER_nondet_uchar();
    int floor = __VERIFIER_nondet_uchar();
    int allowance = __VERIFIER_nondet_uchar();
    int last = __VERIFIER_nondet_uchar();
    while (value >= floor && value <= last + allowance) { //@ loop: terminates
        if (__VERIFIER_nondet_uchar() != 0) {
            allowance--;
            last = value;
            value = __VERIFIER_nondet_uchar();
        } else {
            floor++;
        }
    }
    return 0;
}
