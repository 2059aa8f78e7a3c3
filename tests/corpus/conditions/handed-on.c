// What a loop inside needs, and what a callee needs, the loop around needs as well.
long step_of(void);
void work(long);

static void inner(long n) {
    long step = step_of();
    while (n > step) { //@ loop: neither; ends when `step > 0`
        n -= step;
    }
}

void outer(int rounds) {
    for (int i = 0; i < rounds; i++) { //@ loop: neither; ends when for the loop at line 7 of `inner`: `step > 0`
        inner(i);
    }
}

void around(int rounds, long n) {
    for (int i = 0; i < rounds; i++) { //@ loop: neither; ends when for the loop at line 21: `step > 0`
        long left = n, step = step_of();
        while (left > step) { //@ loop: neither; ends when `step > 0`
            left -= step;
            work(left);
        }
    }
}
