// A short is never 40000; the conversion wraps.
int main(void) {
    for (short s = 0; s < 40000; s++) { //@ loop: diverges
    }
    return 0;
}
