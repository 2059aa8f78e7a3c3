// The value of a function that ends without a return statement may not be used.
extern int __VERIFIER_nondet_int(void);

static int busy(int x) {
    if (x != 0) {
        return 1;
    }
}

int main(void) {
    int x = __VERIFIER_nondet_int();
    while (busy(x)) { //@ loop: terminates; tool everywhere: unknown -- a value that may not be used is read as an unknown one
        x = 0;
    }
    return 0;
}
