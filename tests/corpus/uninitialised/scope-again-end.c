// The 1 of the first iteration is gone when the second one adds it.
int main(void) {
    int i = 0;
    while (i < 3) { //@ loop: neither
        int step;
        if (i == 0) {
            step = 1;
        }
        i += step & 1;
    }
    return 0;
}
