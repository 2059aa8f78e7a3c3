// The inner counter is unsigned and never below zero: the inner loop is never left, and so is the outer one.
int main(void) {
    unsigned char low;
    for (int high = 3; high >= 0; high--) { //@ loop: diverges; absent; tool: unknown -- no system holds both loops, so that the outer one has no proof of its own
        for (low = 7; low >= 0; low--) { //@ loop: diverges
        }
    }
    return 0;
}
