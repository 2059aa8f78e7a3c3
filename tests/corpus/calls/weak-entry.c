// Others call a function that they may replace. One that calls it does not know which body runs.
static int left(int n) {
    while (n > 10) { //@ loop: terminates
        n -= 3;
    }
    return n;
}

__attribute__((weak)) int rest(int n) {
    while (left(n) != 0) { //@ loop: diverges when n != 0
    }
    return n;
}

int again(int n) {
    int k = 0;
    while (rest(n) > k) { //@ loop: neither
        k++;
    }
    return k;
}
