// The innermost call ends the program, so that what stands behind the call is never reached.
_Noreturn void exit(int);
extern unsigned char __VERIFIER_nondet_uchar(void);

static void down(unsigned n) { //@ recursion: terminates; tool everywhere: unknown -- that a recursive call does not return is not followed
    if (n == 0) {
        exit(0);
    }
    down(n - 1);
    while (1) { //@ loop: terminates; absent; tool everywhere: unknown -- that a recursive call does not return is not followed
    }
}

int main(void) {
    down(__VERIFIER_nondet_uchar());
    return 0;
}
