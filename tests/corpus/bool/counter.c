// A _Bool does not count to two.
int main(void) {
    for (_Bool i = 0; i < 2; i++) { //@ loop: diverges
    }
    return 0;
}
