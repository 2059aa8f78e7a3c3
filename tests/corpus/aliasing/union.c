// The members of a union lie over each other (the lowest byte first).
union word {
    int i;
    unsigned u;
    unsigned char bytes[4];
};

int main(void) {
    union word w;
    w.u = 0x100;
    while (w.bytes[1]) { //@ loop: terminates
        w.u--;
    }
    w.i = -1;
    while (w.u > 0x80000000u) { //@ loop: diverges
    }
    return 0;
}
