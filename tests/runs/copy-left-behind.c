// Each call has a copy of the structure, which is there while the call lasts.
struct big {
    long a[4];
};
static long *kept;

static long keep(struct big b) {
    kept = &b.a[2];
    return *kept;
}

int main(void) {
    struct big b = {{1, 2, 3, 4}};
    for (int i = 0; i < 2; i++) {
        observe(keep(b));
        b.a[2]++;
    }
    observe(*kept);
    return 0;
}
