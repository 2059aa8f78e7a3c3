// The innermost call returns to where it was called from, and exit follows.
_Noreturn void exit(int);
static void outer(int n);

static void inner(int n) { //@ recursion: terminates; with outer; tool everywhere: unknown -- where a recursive call returns to, and with which locals, is not followed
    if (n == 3) {
        inner(2);
        while (1) { //@ loop: terminates; absent; tool everywhere: unknown -- where a recursive call returns to, and with which locals, is not followed
        }
    }
    if (n == 2) {
        outer(1);
        exit(0);
    }
}

static void outer(int n) { //@ recursion: terminates; with inner; tool everywhere: unknown -- where a recursive call returns to, and with which locals, is not followed
    inner(n == 1 ? 0 : 3);
}

int main(void) {
    outer(0);
    return 0;
}
