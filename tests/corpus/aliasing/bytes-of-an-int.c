// A byte of an int is written on its own (the lowest byte first).
int main(void) {
    int x = 256;
    unsigned char *bytes = (unsigned char *)&x;
    bytes[1] = 0;
    while (x) { //@ loop: terminates; absent
    }
    bytes[2] = 1;
    while (x == 65536) { //@ loop: diverges
    }
    return 0;
}
