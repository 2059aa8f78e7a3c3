// A negative signed char is another number than the same byte unsigned.
extern signed char __VERIFIER_nondet_schar(void);

int main(void) {
    signed char c = __VERIFIER_nondet_schar();
    while (c != (unsigned char)c) { //@ loop: diverges when c < 0
    }
    return 0;
}
