// A small interpreter with computed jumps: count down, test, stop.
extern unsigned char __VERIFIER_nondet_uchar(void);

int main(void) {
    static const void *const labels[] = {&&down, &&test, &&stop};
    static const unsigned char code[] = {0, 1, 2};
    int x = __VERIFIER_nondet_uchar();
    unsigned pc = 0;
    goto *labels[code[pc]]; //@ loop: terminates; within 8 lines; tool everywhere: unknown -- what the code says next is an invariant over array contents
down:
    x--;
    pc = 1;
    goto *labels[code[pc]];
test:
    pc = x > 0 ? 0 : 2;
    goto *labels[code[pc]];
stop:
    return 0;
}
