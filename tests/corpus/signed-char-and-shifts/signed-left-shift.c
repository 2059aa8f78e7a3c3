// The bit of a signed value may not be shifted into the sign.
int main(void) {
    int x = 1;
    while (x > 0) { //@ loop: neither; wrap: terminates; ideal: diverges
        x <<= 1;
    }
    return 0;
}
