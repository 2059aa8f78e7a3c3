// No argument: a global variable falls.
extern int __VERIFIER_nondet_int(void);

static int left;

static void again(void) { //@ recursion: terminates
    if (left-- > 0) {
        again();
    }
}

int main(void) {
    left = __VERIFIER_nondet_int();
    again();
    return 0;
}
