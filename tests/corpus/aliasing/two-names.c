// The guard reads through one pointer, the body writes through the other.
int main(void) {
    int x = 10;
    int *p = &x;
    int *q = &x;
    while (*p > 0) { //@ loop: terminates
        --*q;
    }
    return 0;
}
