// Eight ifs give 256 paths, too many to list. One variable counts down on all of them.
unsigned classify(int n, const unsigned char *text) {
    unsigned seen = 0;
    while (n > 0) { //@ loop: terminates
        unsigned char c = text[n - 1];
        if (c == ' ')
            seen |= 1;
        if (c == '\t')
            seen |= 2;
        if (c == '\n')
            seen |= 4;
        if (c >= '0' && c <= '9')
            seen |= 8;
        if (c >= 'a' && c <= 'z')
            seen |= 16;
        if (c >= 'A' && c <= 'Z')
            seen |= 32;
        if (c == '"')
            seen ^= 64;
        if (c > 127)
            seen |= 128;
        n--;
    }
    return seen;
}
