// No condition on one number, or on two of them, when the loop is entered is enough.
long step_of(void);
void work(long);

void changes(long n) {
    // The step is another one each time.
    while (n > 0) { //@ loop: neither
        n -= step_of();
    }
}

void only_once(long n) {
    long step = step_of();
    while (n > 0) { //@ loop: neither
        n -= step;
        // What held when the loop was entered holds no more.
        if (n == 5) {
            step = 0;
        }
    }
}

int flips(void) {
    long a = step_of();
    long b = step_of();
    int rounds = 0;
    while (a != b) { //@ loop: neither
        long c = a;
        a = b;
        b = c;
        rounds++;
    }
    return rounds;
}

void entered_in_the_middle(long n, int late) {
    long step = step_of();
    if (late) {
        goto middle;
    }
    while (n > 0) { //@ loop: neither; within 3 lines
        work(n);
    middle:
        n -= step;
    }
}
