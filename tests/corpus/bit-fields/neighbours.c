// What overflows in one bit-field does not reach the next.
struct halves {
    unsigned low : 4;
    unsigned high : 4;
};

int main(void) {
    struct halves h = {15, 1};
    h.low++;
    while (h.high == 2) { //@ loop: terminates; absent
        h.low++;
    }
    while (h.high == 1) { //@ loop: diverges
        h.low++;
    }
    return 0;
}
