// Memory may be freed once.
void *malloc(unsigned long);
void free(void *);

int main(void) {
    int *p = malloc(sizeof *p);
    if (!p) {
        return 1;
    }
    free(p);
    free(p);
    while (1) { //@ loop: terminates; absent
    }
    return 0;
}
