// Duff's device with a step that passes zero when the count is odd.
extern unsigned char __VERIFIER_nondet_uchar(void);

int main(void) {
    unsigned count = __VERIFIER_nondet_uchar();
    unsigned s = 0;
    unsigned n = (count + 1) / 2;
    switch (count % 2) {
    case 0:
        do { //@ loop: diverges when n % 2 == 1; within 4 lines
            s++;
        case 1:
            s++;
        } while ((n -= 2) != 0);
    }
    return 0;
}
