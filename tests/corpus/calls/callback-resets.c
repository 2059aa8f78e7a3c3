// The callback sets the counter back.
static int i;

static void reset(void) {
    i = 0;
}

static void nothing(void) {
}

static void run(void (*f)(void)) {
    for (i = 0; i < 3; i++) { //@ loop: diverges; copies differ
        f();
    }
}

int main(void) {
    run(nothing);
    run(reset);
    return 0;
}
