// A conversion to an int rounds towards zero, so that halves are left out.
int main(void) {
    double d = 2.5;
    int n = (int)d;
    while (n == 2) { //@ loop: diverges
    }
    return 0;
}
