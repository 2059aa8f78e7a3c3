// A bit is shifted out of forty bits.
struct wide {
    unsigned long long n : 40;
};

int main(void) {
    struct wide w = {1};
    unsigned steps = 0;
    while (w.n != 0) { //@ loop: terminates
        w.n = w.n << 1;
        steps++;
    }
    while (steps == 40) { //@ loop: diverges
    }
    return 0;
}
