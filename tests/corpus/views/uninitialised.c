// A variable that may not have been set gives another value at each read, until it is set.
int down(void) {
    int n;
    while (n > 0) { //@ loop: terminates
        n--;
    }
    return n;
}

int set_inside(int m) {
    int n;
    int first = 1;
    for (;;) { //@ loop: terminates
        if (first) {
            n = m;
            first = 0;
        }
        if (n <= 0)
            return n;
        n--;
    }
}

int by_steps(int n) {
    int step;
    while (n > 0) { //@ loop: neither
        n -= step & 1;
    }
    return n;
}
