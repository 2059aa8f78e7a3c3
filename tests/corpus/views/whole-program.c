// What holds before a loop decides it: from any state the first one hangs, from main it does not.
//@ native: ends
static void steps(unsigned n, unsigned by) {
    while (n != 0) { //@ loop: terminates
        n = n > by ? n - by : 0;
    }
}

int main(void) {
    steps(1000, 3);
    return 0;
}
