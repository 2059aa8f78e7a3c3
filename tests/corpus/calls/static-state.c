// A function with a memory: five times yes, and then only an overflow makes it say yes again.
static int again(void) {
    static int n;
    n++;
    return n <= 5;
}

int main(void) {
    while (again()) { //@ loop: terminates
    }
    while (!again()) { //@ loop: neither; wrap: terminates; ideal: diverges
    }
    return 0;
}
