// exit is the only way out.
extern unsigned char __VERIFIER_nondet_uchar(void);
_Noreturn void exit(int);

int main(void) {
    unsigned n = __VERIFIER_nondet_uchar();
    for (;;) { //@ loop: terminates
        if (n == 0) {
            exit(0);
        }
        n--;
    }
}
