// True, false, out.
int main(void) {
    _Bool b = 0;
    do { //@ loop: terminates
        b = !b;
    } while (b);
    return 0;
}
