// The array is gone with its block, though nothing marks that.
int main(void) {
    int *p;
    {
        int n = 3;
        int a[n];
        a[0] = 1;
        p = a;
    }
    while (*p) { //@ loop: terminates; absent; tool everywhere: unknown -- that nothing marks the scope makes it the environment's whether the object is alive
    }
    return 0;
}
