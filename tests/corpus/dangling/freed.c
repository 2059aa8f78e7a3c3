// Freed memory may not be read, whatever it seems to hold.
void *malloc(unsigned long);
void free(void *);

int main(void) {
    int *p = malloc(sizeof *p);
    if (!p) {
        return 1;
    }
    *p = 1;
    free(p);
    while (*p) { //@ loop: terminates; absent
    }
    return 0;
}
