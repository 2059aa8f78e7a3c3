// What is skipped calls what is not in the recursion, and that changes the counter of the loop.
static int i;

static void reset(void) {
    i = 0;
}

static void tree(int n) { //@ recursion: diverges; tool everywhere: unknown -- where a recursive call returns to, and with which locals, is not followed
    if (n == 0) {
        reset();
        return;
    }
    for (i = 0; i < 5; i++) { //@ loop: diverges; tool everywhere: unknown -- where a recursive call returns to, and with which locals, is not followed
        tree(n - 1);
    }
}

int main(void) {
    tree(1);
    return 0;
}
