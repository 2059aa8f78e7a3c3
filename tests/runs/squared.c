// Over Z the number has twice as many digits after each round.
int main(void) {
    long n = 3;
    while (n != 0) {
        observe(n);
        n *= n;
    }
    return 0;
}
