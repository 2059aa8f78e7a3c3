// The third falls, so the second falls at last, so the first does, whichever of them is added.
extern unsigned char __VERIFIER_nondet_uchar(void);

int main(void) {
    int x = __VERIFIER_nondet_uchar();
    int y = __VERIFIER_nondet_uchar();
    int z = __VERIFIER_nondet_uchar();
    while (x >= 0) { //@ loop: terminates; tool wrap: unknown -- the checker would need long sums of words
        if (__VERIFIER_nondet_uchar() != 0) {
            x += y;
        } else {
            x += z;
        }
        y += z;
        z--;
    }
    return 0;
}
