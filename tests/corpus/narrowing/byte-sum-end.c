// A byte in steps of 100 takes every multiple of 4, 252 among them.
int main(void) {
    unsigned char a = 0;
    while (a < 250) { //@ loop: terminates; tool everywhere: unknown -- that the byte is a multiple of four, and its order, need a measure over remainders
        a += 100;
    }
    return 0;
}
