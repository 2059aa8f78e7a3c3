// The counter of the loop is one for all calls, and the inner ones set it back.
static void tree(int n) { //@ recursion: diverges; tool everywhere: unknown -- where a recursive call returns to, and with which locals, is not followed
    static int i;
    if (n == 0) {
        i = 0;
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
