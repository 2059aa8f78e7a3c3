// The address of the element is made before the check of the shift, and the store stands behind it, in another block.
int shifted(int n, int i, int k) {
    int a[2];
    a[0] = n;
    a[1] = n;
    while (a[0] > 0) { //@ loop: diverges
        a[0]--;
        a[i] <<= k;
    }
    return a[1];
}
