// The inner recursion is skipped, and what it calls has set the outer one's counter back.
static int left;

static void outer(void);

static void inner(int k) { //@ recursion: terminates; with outer
    if (k == 0) {
        if (left > 5) {
            left = 0;
            outer();
        }
        left = 3;
        return;
    }
    inner(k - 1);
}

static void outer(void) { //@ recursion: diverges; with inner
    while (left > 0) { //@ loop: diverges; tool everywhere: unknown -- where a recursive call returns to, and with which locals, is not followed
        left--;
        inner(2);
    }
}

int main(void) {
    left = 3;
    outer();
    return 0;
}
