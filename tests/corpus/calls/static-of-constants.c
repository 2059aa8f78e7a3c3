// No call can find another value in a static object than those that this file stores there.
static int state;
static unsigned char mode = 3;

void set(int on) {
    // A choice of constants, and branches.
    state = on ? 2 : 1;
    if (on) {
        mode = 9;
    } else {
        mode = 4;
    }
}

void never(void) {
    while (state == 5) { //@ loop: terminates
    }
    while (mode > 9) { //@ loop: terminates
    }
    while (mode == 7) { //@ loop: terminates; tool everywhere: unknown -- that it is one of three values is no interval
    }
}

void perhaps(void) {
    while (state == 2 && mode == 9) { //@ loop: diverges when state == 2 && mode == 9
    }
    while (mode == 3) { //@ loop: diverges when mode == 3
    }
}
