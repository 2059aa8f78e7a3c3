// The amount has more bits than what is shifted: its low bits alone would do no harm.
int main(void) {
    unsigned long long amount = 4294967299ull;
    unsigned x = 1;
    while (x) { //@ loop: terminates
        x = (x << amount) | 1;
    }
    return 0;
}
