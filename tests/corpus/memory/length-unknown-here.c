// The array is defined elsewhere, and so are its length and its values.
extern int table[];

int main(void) {
    while (table[5]) { //@ loop: neither
    }
    return 0;
}
