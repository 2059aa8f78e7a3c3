// Two calls one after the other, and both have less to do.
extern int __VERIFIER_nondet_int(void);

static int moves;

static void towers(int n, int from, int to) { //@ recursion: terminates
    if (n <= 0) {
        return;
    }
    towers(n - 1, from, 6 - from - to);
    moves = from;
    towers(n - 1, 6 - from - to, to);
}

int main(void) {
    towers(__VERIFIER_nondet_int(), 1, 3);
    return moves;
}
