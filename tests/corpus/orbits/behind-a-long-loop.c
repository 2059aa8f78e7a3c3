// The table is filled first; the search for a value that is not there comes after.
int main(void) {
    int table[64];
    for (int i = 0; i < 64; i++) { //@ loop: terminates
        table[i] = i * 2;
    }
    int at = 0;
    while (table[at] != 33) { //@ loop: diverges
        at = (at + 1) % 64;
    }
    return at;
}
