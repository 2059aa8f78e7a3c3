// A counter that lives on the heap.
void *malloc(unsigned long);
void free(void *);

int main(void) {
    int *p = malloc(sizeof *p);
    if (!p) {
        return 1;
    }
    *p = 10;
    while (*p > 0) { //@ loop: terminates
        --*p;
    }
    free(p);
    return 0;
}
