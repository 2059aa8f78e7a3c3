// Somebody else filled the struct. A number read from it is a number, not an address.
struct reader {
    unsigned long hold;
    int bits;
};

int need(struct reader *r) {
    int bits = r->bits;
    while (bits < 16) { //@ loop: terminates
        bits += 8;
    }
    return bits;
}

unsigned drop(struct reader *r) {
    unsigned long hold = r->hold;
    unsigned n = 0;
    while (hold != 0) { //@ loop: terminates
        hold >>= 1;
        n++;
    }
    return n;
}
