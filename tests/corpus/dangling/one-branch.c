// Only one of the two ways makes the pointer dangle.
extern int __VERIFIER_nondet_int(void);
static int kept = 1;

int main(void) {
    int *p = &kept;
    int c = __VERIFIER_nondet_int();
    {
        int x = 1;
        if (c) {
            p = &x;
        }
    }
    while (*p == 1) { //@ loop: diverges when c == 0
    }
    return 0;
}
