// A callee writes, but another member than the one that counts.
struct buffer {
    unsigned left;
    unsigned total;
    unsigned char last;
};

static void note(struct buffer *b, unsigned char c) {
    b->total++;
    b->last = c;
}

static void refill(struct buffer *b) {
    b->left = 4;
}

void drain(struct buffer *b) {
    while (b->left > 0) { //@ loop: terminates
        b->left--;
        note(b, 7);
    }
}

void drain_and_refill(struct buffer *b) {
    while (b->left > 0) { //@ loop: diverges when b->left > 0
        b->left--;
        refill(b);
    }
}
