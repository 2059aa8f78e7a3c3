// The comparison of a sort may do more than compare.
void qsort(void *, unsigned long, unsigned long, int (*)(const void *, const void *));
static int *kept;

static int compare(const void *a, const void *b) {
    (void)a;
    (void)b;
    *kept = 0;
    return 0;
}

int main(void) {
    int x = 1;
    int a[2] = {2, 1};
    kept = &x;
    qsort(a, 2, sizeof a[0], compare);
    while (x) { //@ loop: terminates; tool everywhere: unknown -- how often the library calls it is not known
    }
    return 0;
}
