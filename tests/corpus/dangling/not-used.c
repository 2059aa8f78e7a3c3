// A pointer that dangles does no harm while it is not used.
void *malloc(unsigned long);
void free(void *);

int main(void) {
    int x = 1;
    int *p = malloc(sizeof *p);
    free(p);
    while (x == 1) { //@ loop: diverges
    }
    return 0;
}
