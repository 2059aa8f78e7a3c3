// The functions of a table take turns; both of them step.
static int one(int x) {
    return x - 1;
}

static int two(int x) {
    return x - 2;
}

int main(void) {
    static int (*const table[2])(int) = {one, two};
    int x = 10;
    unsigned turn = 0;
    while (x > 0) { //@ loop: terminates; tool everywhere: unknown -- what the table holds is an invariant over array contents
        x = table[turn & 1](x);
        turn++;
    }
    return 0;
}
