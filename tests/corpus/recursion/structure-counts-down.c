// The counter is in a structure that each call gets a copy of.
extern unsigned char __VERIFIER_nondet_uchar(void);

struct large {
    unsigned left;
    int more[20];
};

static void drain(struct large s) { //@ recursion: terminates
    if (s.left == 0) {
        return;
    }
    s.left--;
    drain(s);
}

int main(void) {
    struct large s = {__VERIFIER_nondet_uchar(), {0}};
    drain(s);
    return 0;
}
