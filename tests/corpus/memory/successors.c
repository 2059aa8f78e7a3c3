// The way through an array of successors is a circle.
int main(void) {
    static const unsigned char next[4] = {1, 2, 3, 1};
    unsigned i = 0;
    while (i != 4) { //@ loop: diverges
        i = next[i];
    }
    return 0;
}
