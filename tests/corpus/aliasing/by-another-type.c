// An object that is declared is accessed by its own type: no endless run may rest on anything else.
static short pair[2];

union both {
    float f;
    int i;
};

static int number_in_a_float(void) {
    float f = 1;
    *(int *)&f = 5;
    while (f != 0) { //@ loop: neither; wrap: diverges; ideal: diverges
    }
    return 0;
}

static int both_halves(void) {
    *(int *)pair = 5;
    while (pair[0] == 5) { //@ loop: neither; wrap: diverges; ideal: diverges
    }
    return 0;
}

static int in_a_union(void) {
    union both u = {1};
    u.i = 5;
    while (u.f != 0) { //@ loop: diverges
    }
    return 0;
}

static int by_characters(void) {
    int n = 5;
    while (*(char *)&n == 5) { //@ loop: diverges
    }
    return 0;
}

static int by_the_other_sign(void) {
    int n = 5;
    while (*(unsigned *)&n == 5) { //@ loop: diverges
    }
    return 0;
}

int main(int argc, char **argv) {
    switch (argc) {
    case 1:
        return number_in_a_float();
    case 2:
        return both_halves();
    case 3:
        return in_a_union();
    case 4:
        return by_characters();
    default:
        return by_the_other_sign();
    }
}
