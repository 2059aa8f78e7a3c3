// Literals with different bytes are at different places.
//@ native: ends
static const char *one(void) {
    return "one";
}

static const char *two(void) {
    return "two";
}

int main(void) {
    const char *p = one(), *q = two();
    while (p == q) { //@ loop: terminates
    }
    return 0;
}
