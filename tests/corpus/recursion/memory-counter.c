// What the loop counts in memory the skipped call fills up again.
struct cell {
    int left;
};

static void drain(struct cell *c, int n) { //@ recursion: diverges; tool everywhere: unknown -- where a recursive call returns to, and with which locals, is not followed
    if (n == 0) {
        c->left = 3;
        return;
    }
    while (c->left > 0) { //@ loop: diverges; tool everywhere: unknown -- where a recursive call returns to, and with which locals, is not followed
        c->left--;
        drain(c, n - 1);
    }
}

int main(void) {
    struct cell c = {3};
    drain(&c, 1);
    return 0;
}
