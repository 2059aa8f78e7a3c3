// The function is said to read nothing, and reads what the loop changes.
static int g;

static __attribute__((const)) int peek(void) {
    return g;
}

int main(void) {
    while (peek() < 5) { //@ loop: terminates
        g++;
    }
    return 0;
}
