// The variable is out of scope when it is read, though control jumped into its scope.
int main(void) {
    int *p;
    goto inside;
    {
        int x;
    inside:
        x = 1;
        p = &x;
    }
    while (*p) { //@ loop: terminates; absent; tool everywhere: unknown -- that nothing marks the scope makes it the environment's whether the object is alive
    }
    return 0;
}
