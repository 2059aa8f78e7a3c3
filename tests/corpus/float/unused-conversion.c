// Nobody uses the integer, and still no int holds the number: the run is over before the loop.
int main(void) {
    double d = 1e10;
    (void)(int)d;
    for (;;) { //@ loop: terminates
    }
    return 0;
}
