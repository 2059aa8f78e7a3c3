// The product of the two is no size: there is no new block, and the old one is still there.
typedef unsigned long size_t;
void *malloc(size_t);
void *reallocarray(void *, size_t, size_t);

int main(void) {
    char *old = malloc(4);
    if (!old) {
        return 0;
    }
    char *p = reallocarray(old, 0x100000000000, 0x100000000000);
    while (p == 0) { //@ loop: diverges; tool everywhere: unknown -- that malloc succeeds is not the input's choice
    }
    return 0;
}
