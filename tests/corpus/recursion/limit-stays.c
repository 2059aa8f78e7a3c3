// The limit is a global variable that no call changes.
extern int __VERIFIER_nondet_int(void);

static int limit;

static void up(int i) { //@ recursion: terminates
    if (i >= limit) {
        return;
    }
    up(i + 1);
    up(i + 1);
}

int main(void) {
    limit = __VERIFIER_nondet_int();
    up(0);
    return 0;
}
