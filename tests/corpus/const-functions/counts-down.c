// A function without effects that ends.
extern unsigned char __VERIFIER_nondet_uchar(void);

static __attribute__((const)) int zero(int x) {
    while (x > 0) { //@ loop: terminates
        x--;
    }
    return x;
}

int main(void) {
    return zero(__VERIFIER_nondet_uchar());
}
