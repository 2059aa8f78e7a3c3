// The local is gone when its address comes back.
static int *address(void) {
    int x = 1;
    int *p = &x;
    return p;
}

int main(void) {
    int *p = address();
    while (*p) { //@ loop: terminates; absent
    }
    return 0;
}
