// The block ends, and with it the object.
int main(void) {
    int *p;
    {
        int x = 1;
        p = &x;
    }
    while (*p) { //@ loop: terminates; absent
    }
    return 0;
}
