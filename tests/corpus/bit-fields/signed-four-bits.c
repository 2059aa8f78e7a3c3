// Four signed bits go from 7 to -8.
struct small {
    signed int n : 4;
};

int main(void) {
    struct small s = {0};
    while (s.n >= 0) { //@ loop: terminates; tool wrap: unknown -- that a field counts up to its sign needs a measure over bits
        s.n++;
    }
    return 0;
}
