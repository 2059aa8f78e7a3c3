// Each loop on its own would end; the inner one gives back what the outer one takes.
extern unsigned char __VERIFIER_nondet_uchar(void);

int main(void) {
    int x = __VERIFIER_nondet_uchar();
    while (x > 0) { //@ loop: diverges when x > 0
        x--;
        while (x < 5) { //@ loop: terminates
            x++;
        }
    }
    return 0;
}
