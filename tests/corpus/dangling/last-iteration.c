// The guard reads the object of the iteration before, which is gone.
int main(void) {
    int *p = 0;
    for (int i = 0; i < 2 || *p; i++) { //@ loop: terminates; tool everywhere: unknown -- which objects are alive is an invariant over array contents
        int x = 1;
        p = &x;
    }
    return 0;
}
