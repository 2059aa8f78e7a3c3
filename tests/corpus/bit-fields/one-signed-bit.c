// The one bit of a signed bit-field is its sign: 1 is stored as -1.
struct flags {
    signed int up : 1;
};

int main(void) {
    struct flags f;
    f.up = 1;
    while (f.up == 1) { //@ loop: terminates; absent
    }
    while (f.up) { //@ loop: diverges; tool: unknown -- the rest of the word was never set, and is read to be kept
    }
    return 0;
}
