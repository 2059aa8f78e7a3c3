// Duff's device: a switch jumps into the middle of the loop.
extern unsigned char __VERIFIER_nondet_uchar(void);

int main(void) {
    unsigned count = __VERIFIER_nondet_uchar();
    unsigned s = 0;
    int n = (int)(count + 3) / 4;
    switch (count % 4) {
    case 0:
        do { //@ loop: terminates; within 6 lines
            s++;
        case 3:
            s++;
        case 2:
            s++;
        case 1:
            s++;
        } while (--n > 0);
    }
    return 0;
}
