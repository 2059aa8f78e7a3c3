// Without a main a global may hold anything at first; one that nobody writes does not.
int n;
static int never;

void fall(void) {
    while (n > 0) { //@ loop: terminates
        n--;
    }
}

void stay(void) {
    while (n == 7) { //@ loop: diverges when n == 7
    }
}

int zero(void) {
    while (never) { //@ loop: terminates
    }
    return never;
}
