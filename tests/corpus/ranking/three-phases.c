// z turns y around, and y turns x around.
extern unsigned char __VERIFIER_nondet_uchar(void);

int main(void) {
    int x = __VERIFIER_nondet_uchar();
    int y = __VERIFIER_nondet_uchar();
    int z = __VERIFIER_nondet_uchar();
    while (x > 0) { //@ loop: terminates; tool wrap: unknown -- the checker would need long sums of words
        x += y;
        y += z;
        z--;
    }
    return 0;
}
