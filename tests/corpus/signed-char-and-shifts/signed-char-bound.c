// A signed char is never 128: it goes from 127 to -128, by conversion, not by overflow.
int main(void) {
    for (signed char c = 0; c < 128; c++) { //@ loop: diverges
    }
    return 0;
}
