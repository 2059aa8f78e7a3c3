// A function that runs before main.
static int started;

__attribute__((constructor)) static void before(void) {
    started = 1;
}

int main(void) {
    while (!started) { //@ loop: terminates; absent
    }
    while (started) { //@ loop: diverges
    }
    return 0;
}
