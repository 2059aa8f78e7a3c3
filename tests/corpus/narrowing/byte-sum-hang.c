// A byte in steps of 100 takes multiples of 4 only, and none is above 252.
int main(void) {
    unsigned char a = 0;
    while (a < 253) { //@ loop: diverges
        a += 100;
    }
    return 0;
}
