// main is never reached.
static int ready;

__attribute__((constructor)) static void before(void) {
    while (!ready) { //@ loop: diverges
    }
}

int main(void) {
    while (1) { //@ loop: terminates; absent
    }
    return 0;
}
