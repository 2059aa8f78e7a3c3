// The end of one literal may be another one.
static const char *longer(void) {
    return "xabc";
}

static const char *shorter(void) {
    return "abc";
}

int main(void) {
    const char *p = longer() + 1, *q = shorter();
    while (p == q) { //@ loop: neither
    }
    return 0;
}
