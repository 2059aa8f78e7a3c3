// A flag on the heap that nobody clears; malloc is taken to succeed.
void *malloc(unsigned long);

int main(void) {
    int *p = malloc(sizeof *p);
    if (!p) {
        return 1;
    }
    *p = 1;
    while (*p) { //@ loop: diverges; tool everywhere: unknown -- that malloc succeeds is not the input's choice
    }
    return 0;
}
