// Two cells are two, on the heap or not: one is counted, the other one tested.
void *malloc(unsigned long);

int main(void) {
    unsigned here;
    unsigned there;
    unsigned *p = malloc(sizeof *p);
    unsigned *q = malloc(sizeof *q);
    if (!p) {
        p = &here;
    }
    if (!q) {
        q = &there;
    }
    *p = 10;
    *q = 10;
    while (*p > 0) { //@ loop: diverges; tool everywhere: unknown -- that malloc succeeds is not the input's choice
        --*q;
    }
    return 0;
}
