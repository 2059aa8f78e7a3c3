// Converted to unsigned each int is at least 0, but the counter overflows on its way.
int main(void) {
    int i = 5;
    unsigned zero = 0;
    while (i >= zero) { //@ loop: neither; wrap: diverges; ideal: diverges
        i--;
    }
    return 0;
}
