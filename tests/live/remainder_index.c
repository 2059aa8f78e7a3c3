/* A counter without end, and the remainder as an index. */
//@ attach -O0: proved
static volatile int table[7] = {1, 2, 3, 4, 5, 6, 7};

int main(void) {
    for (unsigned i = 0;; i++)
        if (table[i % 7] == 9)
            return 1;
}
