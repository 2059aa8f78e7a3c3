// The compiler folds the conversion away; it is as undefined as before.
int main(void) {
    int n = 0;
    for (;;) { //@ loop: terminates
        if (n > 3) {
            n = (int)1e10;
        }
        n++;
    }
    return n;
}
