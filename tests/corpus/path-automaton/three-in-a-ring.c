// Each adds to the next one: none of them falls once all are above zero.
extern unsigned char __VERIFIER_nondet_uchar(void);

int main(void) {
    int x = __VERIFIER_nondet_uchar();
    int y = __VERIFIER_nondet_uchar();
    int z = __VERIFIER_nondet_uchar();
    while (x > 0) { //@ loop: neither; ideal: diverges; wrap: terminates; tool wrap: unknown -- it ends by overflow, after up to some dozen rounds
        x += y;
        y += z;
        z += x;
    }
    return 0;
}
