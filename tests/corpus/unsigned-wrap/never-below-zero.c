// An unsigned value is never below zero.
int main(void) {
    for (unsigned i = 10; i >= 0; i--) { //@ loop: diverges
    }
    return 0;
}
