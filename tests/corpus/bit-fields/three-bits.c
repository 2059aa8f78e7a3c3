// Three bits hold 0 to 7.
struct counter {
    unsigned n : 3;
};

int main(void) {
    struct counter c;
    for (c.n = 0; c.n < 7; c.n++) { //@ loop: terminates; slow; slow ideal
    }
    for (c.n = 0; c.n < 8; c.n++) { //@ loop: diverges; tool: unknown; tool ideal: unknown -- the rest of the word was never set, and is read to be kept; over the integers a field is a sum of remainders
    }
    return 0;
}
