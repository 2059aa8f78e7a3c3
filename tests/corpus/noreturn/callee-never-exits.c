// The way out is in the called function, and is never taken.
_Noreturn void exit(int);

static void check(unsigned v) {
    if (v > 5) {
        exit(0);
    }
}

int main(void) {
    for (unsigned i = 0;; i++) { //@ loop: diverges
        check(i % 5);
    }
}
