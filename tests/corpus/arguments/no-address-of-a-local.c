// Nobody can pass the address of what is made after the call, as C has it; as a number it can be guessed.
extern void keep(int *);
static int *kept;

void compares(int *p) {
    int own = 0;
    kept = &own;
    if (p == kept) {
        for (;;) { //@ loop: neither; wrap: diverges; ideal: diverges; absent
        }
    }
}

int writes(int *p) {
    int own = 1;
    keep(&own);
    own = 1;
    *p = 0;
    while (own == 0) { //@ loop: neither; wrap: diverges; ideal: diverges
    }
    return own;
}

struct holder {
    int *held;
};

int holds(struct holder *h) {
    int own = 0;
    kept = &own;
    if (h->held == kept) {
        for (;;) { //@ loop: neither; wrap: diverges; ideal: diverges; absent
        }
    }
    return 0;
}
