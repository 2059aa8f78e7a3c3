// The object of each iteration is a new one; the 1 of the first iteration is gone.
int main(void) {
    int first = 1;
    while (1) { //@ loop: neither
        int k;
        if (first) {
            k = 1;
            first = 0;
        }
        if (!k) {
            break;
        }
    }
    return 0;
}
