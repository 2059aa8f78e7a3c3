// The loop counts down what the recursive call has returned, whatever that is.
extern unsigned char __VERIFIER_nondet_uchar(void);

static int steps(unsigned n) { //@ recursion: terminates
    if (n == 0) {
        return 1;
    }
    int sum = 0;
    for (int k = steps(n - 1); k > 0; k--) { //@ loop: terminates
        sum ^= k;
    }
    return sum;
}

int main(void) {
    return steps(__VERIFIER_nondet_uchar()) == 1;
}
