// A loop that calls the function it is in.
extern unsigned char __VERIFIER_nondet_uchar(void);

static void tree(int depth) { //@ recursion: terminates
    for (int i = 0; i < 2; i++) { //@ loop: terminates
        if (depth > 0) {
            tree(depth - 1);
        }
    }
}

int main(void) {
    tree(__VERIFIER_nondet_uchar() & 7);
    return 0;
}
