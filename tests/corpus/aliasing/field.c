// The step is a field that a pointer overwrites.
struct walk {
    int n;
    int step;
};

int main(void) {
    struct walk w = {10, 1};
    int *p = &w.step;
    *p = 0;
    while (w.n > 0) { //@ loop: diverges
        w.n -= w.step;
    }
    return 0;
}
