// A byte is always below 300.
int main(void) {
    unsigned char u = 0;
    while (u < 300) { //@ loop: diverges
        u++;
    }
    return 0;
}
