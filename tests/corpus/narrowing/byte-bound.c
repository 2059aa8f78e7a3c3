// A byte is always below 300.
int main(void) {
    for (unsigned char c = 0; c < 300; c++) { //@ loop: diverges
    }
    return 0;
}
