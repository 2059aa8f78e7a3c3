// The swap without a third variable clears a variable that is swapped with itself.
static void swap(unsigned *p, unsigned *q) {
    *p ^= *q;
    *q ^= *p;
    *p ^= *q;
}

int main(void) {
    unsigned a[2] = {1, 2};
    swap(&a[0], &a[1]);
    swap(&a[1], &a[1]);
    while (a[0] == 2 && a[1] == 0) { //@ loop: diverges
    }
    return 0;
}
