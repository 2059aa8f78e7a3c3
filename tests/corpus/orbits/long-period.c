// A generator with a period of more than a thousand never shows the value that is waited for.
int main(void) {
    unsigned seed = 1;
    while (seed != 0) { //@ loop: diverges
        seed = (seed * 5 + 4) % 2003;
        if (seed == 0) {
            seed = 7;
        }
    }
    return 0;
}
