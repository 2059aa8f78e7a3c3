// Each call gets a copy of the structure, and leaves its address behind: nothing reads it later.
struct big {
    long a[4];
};

static long *kept;

static long first(struct big b) {
    kept = b.a;
    return *kept;
}

int main(void) {
    struct big b = {{1, 2, 3, 4}};
    for (int i = 0; i < 2; i++) { //@ loop: terminates
        first(b);
    }
    while (b.a[0]) { //@ loop: diverges
    }
    return 0;
}
