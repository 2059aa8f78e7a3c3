// A pure function that reads what the loop does not change.
static int g;
static unsigned other;

static __attribute__((pure)) int get(void) {
    return g;
}

int main(void) {
    while (get() < 5) { //@ loop: diverges
        other++;
    }
    return 0;
}
