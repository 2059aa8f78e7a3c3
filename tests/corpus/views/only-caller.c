// What holds at the only call of a function decides its loop.
static int by_steps(int n, int step) {
    int sum = 0;
    for (int i = 0; i < n; i += step) { //@ loop: terminates
        sum ^= i;
    }
    return sum;
}

int by_fours(int n) {
    if (n > 1000) return 0;
    return by_steps(n, 4);
}

// Called at two places, with another step at each.
static int by_some(int n, int step) {
    int sum = 0;
    for (int i = 0; i < n; i += step) { //@ loop: diverges; slow wrap; tool: unknown; tool ideal: unknown -- its callers are not looked at one by one, and no whole entry finds it in time
        sum ^= i;
    }
    return sum;
}

int by_two_kinds(int n, int k) {
    return n < 100 ? by_some(n, 2) : by_some(n, k);
}

// Its address is taken, so others may call it.
static int by_any(int n, int step) {
    int sum = 0;
    for (int i = 0; i < n; i += step) { //@ loop: diverges; slow everywhere
        sum ^= i;
    }
    return sum;
}

int (*exported)(int, int) = by_any;
int by_threes(int n) { return by_any(n, 3); }

// The call is tested before.
static unsigned to(unsigned from, unsigned until) {
    unsigned rounds = 0;
    for (; from != until; from++) { //@ loop: terminates
        rounds++;
    }
    return rounds;
}

static int whole_steps(int from, int until) {
    int rounds = 0;
    for (; from != until; from++) { //@ loop: terminates; slow everywhere
        rounds ^= 1;
    }
    return rounds;
}

int tested(int from, int until, unsigned n) {
    if (from > until) return (int)to(n, 7);
    return whole_steps(from, until);
}
