// The callee has a copy of its own: what it takes away the caller still has.
struct large {
    int left;
    int more[20];
};

static void drain(struct large s, int n) { //@ recursion: diverges; tool everywhere: unknown -- where a recursive call returns to, and with which locals, is not followed
    s.left--;
    if (n == 0) {
        return;
    }
    s.left++;
    while (s.left > 0) { //@ loop: diverges; tool everywhere: unknown -- where a recursive call returns to, and with which locals, is not followed
        drain(s, n - 1);
    }
}

int main(void) {
    struct large s = {3, {0}};
    drain(s, 1);
    return 0;
}
