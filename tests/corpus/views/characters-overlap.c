// A character is a byte of the bound: it sets back what counts down.
//@ native: hangs
struct header {
    int n;
    int used;
};

static void overwrite(struct header *h, unsigned char *to) {
    while (h->n > 0) { //@ loop: diverges
        h->n--;
        *to = 5;
    }
}

int main(void) {
    struct header h = {3, 0};
    overwrite(&h, (unsigned char *)&h.n);
    return 0;
}
