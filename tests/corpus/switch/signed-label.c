// The byte 255 is -1 as a signed char, and never meets the label 255.
extern signed char __VERIFIER_nondet_schar(void);

int main(void) {
    signed char c = __VERIFIER_nondet_schar();
    for (;;) { //@ loop: diverges
        switch (c) {
        case 255:
            return 0;
        default:
            c = -1;
        }
    }
}
