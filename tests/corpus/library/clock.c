// Time goes by.
long time(long *);

int main(void) {
    long start = time(0);
    while (time(0) - start < 1) { //@ loop: terminates
    }
    return 0;
}
