// A character may be a byte of anything, also of a bound; a short is no part of an int.
struct header {
    signed char n;
    int used;
};

void fill(struct header *h, unsigned char *to) {
    for (int i = 0; i < h->n; i++) { //@ loop: terminates
        to[i] = 1;
    }
}

void repeat(struct header *h, unsigned char *to) {
    for (int i = 0; i < h->used; i++) { //@ loop: terminates
        *to = 1;
    }
}

void other_type(int *n, short *to) {
    while (*n > 0) { //@ loop: terminates
        --*n;
        *to = 5;
    }
}
