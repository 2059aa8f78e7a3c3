// The counter never leaves 0 .. 255, so the loop has no way out.
int main(void) {
    int i = 0;
    for (;;) { //@ loop: diverges
        i = (i + 1) % 256;
        if (i < 0) {
            break;
        }
    }
    return 0;
}
