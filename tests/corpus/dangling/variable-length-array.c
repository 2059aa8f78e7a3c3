// The array is gone with its block, though nothing marks that.
int main(void) {
    int *p;
    {
        int n = 3;
        int a[n];
        a[0] = 1;
        p = a;
    }
    while (*p) { //@ loop: terminates; absent
    }
    return 0;
}
