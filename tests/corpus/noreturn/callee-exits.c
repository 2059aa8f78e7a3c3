// The way out is in the called function.
_Noreturn void exit(int);

static void check(int v) {
    if (v > 5) {
        exit(0);
    }
}

int main(void) {
    for (int i = 0;; i++) { //@ loop: terminates
        check(i);
    }
}
