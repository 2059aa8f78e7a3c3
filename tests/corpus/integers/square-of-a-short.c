// The square of an unsigned short is computed as an int.
extern unsigned short __VERIFIER_nondet_ushort(void);

int main(void) {
    unsigned short a = __VERIFIER_nondet_ushort();
    while (a * a < 0) { //@ loop: terminates; wrap: diverges when a == 65535; tool: unknown -- it hangs where numbers wrap, and `c` says so instead of an end
    }
    return 0;
}
