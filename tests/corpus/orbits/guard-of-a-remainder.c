// A remainder of what is not negative is not negative.
int main(void) {
    int slot;
    for (slot = 0; slot >= 0; slot = (slot + 7) % 31) { //@ loop: diverges
    }
    return slot;
}
