// The value narrows on its way out of the function.
static unsigned char next(int x) {
    return x + 1;
}

int main(void) {
    int x = 0;
    while (x < 256) { //@ loop: diverges
        x = next(x);
    }
    return 0;
}
