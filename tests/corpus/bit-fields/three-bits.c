// Three bits hold 0 to 7.
struct counter {
    unsigned n : 3;
};

int main(void) {
    struct counter c;
    for (c.n = 0; c.n < 7; c.n++) { //@ loop: terminates
    }
    for (c.n = 0; c.n < 8; c.n++) { //@ loop: diverges
    }
    return 0;
}
