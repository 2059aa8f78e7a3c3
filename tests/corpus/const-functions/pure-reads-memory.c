// A pure function may read what the loop changes.
static int g;

static __attribute__((pure)) int get(void) {
    return g;
}

int main(void) {
    while (get() < 5) { //@ loop: terminates
        g++;
    }
    return 0;
}
