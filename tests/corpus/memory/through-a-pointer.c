// The callee steps a struct of its caller.
extern int __VERIFIER_nondet_int(void);

struct walk {
    int left;
    int step;
};

static void advance(struct walk *w) {
    w->left -= w->step;
}

int main(void) {
    struct walk w = {100, __VERIFIER_nondet_int()};
    while (w.left > 0) { //@ loop: diverges when step == 0
        advance(&w);
    }
    return 0;
}
