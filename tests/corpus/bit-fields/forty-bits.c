// A bit is shifted out of forty bits.
struct wide {
    unsigned long long n : 40;
};

int main(void) {
    struct wide w = {1};
    unsigned steps = 0;
    while (w.n != 0) { //@ loop: terminates; tool everywhere: unknown -- a shift to the left out of a field needs a measure over bits
        w.n = w.n << 1;
        steps++;
    }
    while (steps == 40) { //@ loop: diverges; slow ideal
    }
    return 0;
}
