// The same interpreter, with a step that passes zero.
extern unsigned char __VERIFIER_nondet_uchar(void);

int main(void) {
    static const void *const labels[] = {&&down, &&test, &&stop};
    static const unsigned char code[] = {0, 1, 2};
    unsigned char x = __VERIFIER_nondet_uchar();
    unsigned pc = 0;
    goto *labels[code[pc]]; //@ loop: diverges when x % 2 == 1; within 8 lines; slow; slow wrap
down:
    x -= 2;
    pc = 1;
    goto *labels[code[pc]];
test:
    pc = x != 0 ? 0 : 2;
    goto *labels[code[pc]];
stop:
    return 0;
}
