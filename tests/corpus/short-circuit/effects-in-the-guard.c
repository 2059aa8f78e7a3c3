// All progress is inside the guard.
extern unsigned char __VERIFIER_nondet_uchar(void);

int main(void) {
    int x = __VERIFIER_nondet_uchar();
    while ((x & 1) ? x-- : x > 0 ? (x -= 2, 1) : 0) { //@ loop: terminates
    }
    return 0;
}
