// Four signed bits go from 7 to -8.
struct small {
    signed int n : 4;
};

int main(void) {
    struct small s = {0};
    while (s.n >= 0) { //@ loop: terminates
        s.n++;
    }
    return 0;
}
