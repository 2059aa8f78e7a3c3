// An outer loop ends if its own counter falls whatever the inner ones assign, and if those end.
void sort(int *a, int n) {
    for (int i = 0; i < n; i++) { //@ loop: terminates
        for (int j = 0; j < n - 1; j++) { //@ loop: terminates
            if (a[j] > a[j + 1]) {
                int t = a[j];
                a[j] = a[j + 1];
                a[j + 1] = t;
            }
        }
    }
}

unsigned restart(unsigned n, const unsigned char *stop) {
    unsigned rounds = 0;
    for (unsigned i = 0; i < 10; i++) { //@ loop: diverges when n > 0 && stop[0] == 0
        for (unsigned j = 0; j < n; j++) { //@ loop: terminates
            if (!*stop) {
                i = 0;
            }
        }
        rounds++;
    }
    return rounds;
}
