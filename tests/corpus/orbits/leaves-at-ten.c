// The remainder would go round for ever, but the loop is left on the way.
int main(void) {
    int i = 0;
    while (i >= 0) { //@ loop: terminates
        if (i == 10) {
            break;
        }
        i = (i + 1) % 256;
    }
    return i;
}
