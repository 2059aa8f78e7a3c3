// A narrow unsigned bit-field becomes an int in arithmetic, a full one stays unsigned.
struct sizes {
    unsigned narrow : 4;
    unsigned full : 32;
};

int main(void) {
    struct sizes s = {0, 0};
    while (s.full - 1 < 5) { //@ loop: terminates; absent
    }
    while (s.narrow - 1 < 5) { //@ loop: diverges
    }
    return 0;
}
