// An unsigned counter that begins at zero goes round through its largest value, once.
void clear(unsigned char *to, unsigned n) {
    do { //@ loop: terminates
        to[n & 15] = 0;
    } while (--n);
}

unsigned long product(unsigned a, unsigned b) {
    unsigned long sum = 0;
    do { //@ loop: terminates
        if (b & 1)
            sum += a;
        b >>= 1;
        a <<= 1;
    } while (b != 0);
    return sum;
}
