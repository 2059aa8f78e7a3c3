// The digits of an address that the linker chooses, where the compiler writes it as a constant.
typedef unsigned long number;
int spare = 1, here = 2;
static int first(int n) { return n; }

int digits(void) {
    while ((number)&here & 4) { //@ loop: neither
    }
    return spare;
}

int lowered(void) {
    while ((((number)&here) | 4) == (number)&here) { //@ loop: neither
    }
    return spare;
}

int remainder_of_it(void) {
    while ((number)&here % 8 == 4) { //@ loop: neither
    }
    return spare;
}

int cut(void) {
    while ((unsigned)(number)&here & 4) { //@ loop: neither
    }
    return spare;
}

int of_a_literal(void) {
    while ((number)"abc" & 1) { //@ loop: neither
    }
    return spare;
}

int of_a_function(void) {
    while ((number)first & 16) { //@ loop: neither
    }
    return spare;
}

// The order of two objects, and whether one ends where the other begins.
int order(void) {
    while (&here < &spare) { //@ loop: neither
    }
    return 0;
}

int next_to_each_other(void) {
    while (&here == &spare + 1) { //@ loop: neither
    }
    return 0;
}
