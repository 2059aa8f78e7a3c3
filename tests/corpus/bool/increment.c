// A _Bool that is one more than true is true.
int main(void) {
    _Bool b = 1;
    while (b) { //@ loop: diverges
        b++;
    }
    return 0;
}
