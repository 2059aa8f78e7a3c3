// The innermost call returns to where it was called from, and exit follows.
_Noreturn void exit(int);
static void outer(int n);

static void inner(int n) { //@ recursion: terminates; with outer
    if (n == 3) {
        inner(2);
        while (1) { //@ loop: terminates; absent
        }
    }
    if (n == 2) {
        outer(1);
        exit(0);
    }
}

static void outer(int n) { //@ recursion: terminates; with inner
    inner(n == 1 ? 0 : 3);
}

int main(void) {
    outer(0);
    return 0;
}
