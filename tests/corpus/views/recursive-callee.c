// A function that calls itself is not shown to return by views; the loop around the call is left to the whole entry.
static unsigned depth(unsigned n) { //@ recursion: terminates
    return n == 0 ? 0 : 1 + depth(n - 1);
}

unsigned total(unsigned n) {
    unsigned sum = 0;
    for (unsigned i = 0; i < n; i++) { //@ loop: terminates; slow wrap
        sum += depth(i);
    }
    return sum;
}

static unsigned endless(unsigned n) {
    while (n != 1) { //@ loop: diverges
        n = n ^ 2;
    }
    return n;
}

unsigned never(unsigned n) {
    unsigned sum = 0;
    for (unsigned i = 0; i < n; i++) { //@ loop: diverges
        sum += endless(i);
    }
    return sum;
}
