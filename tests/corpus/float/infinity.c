// Doubling comes to infinity, which is equal to itself.
int main(void) {
    double d = 1.0;
    while (d == d) { //@ loop: diverges
        d *= 2.0;
    }
    return 0;
}
