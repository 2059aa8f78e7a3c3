// What the loop counts in memory the skipped call fills up again.
struct cell {
    int left;
};

static void drain(struct cell *c, int n) { //@ recursion: diverges
    if (n == 0) {
        c->left = 3;
        return;
    }
    while (c->left > 0) { //@ loop: diverges
        c->left--;
        drain(c, n - 1);
    }
}

int main(void) {
    struct cell c = {3};
    drain(&c, 1);
    return 0;
}
