// No int holds the number: what the conversion gives is undefined, and so no reason to hang.
int main(void) {
    double d = 1e10;
    int i = (int)d;
    while (i != 0) { //@ loop: terminates
    }
    return 0;
}
