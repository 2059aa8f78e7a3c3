// Whatever x is at first, it falls.
int main(void) {
    int x;
    while (x > 0) { //@ loop: terminates
        x--;
    }
    return 0;
}
