// Time goes by.
long time(long *);

int main(void) {
    long start = time(0);
    while (time(0) - start < 1) { //@ loop: terminates; tool everywhere: unknown -- that time goes on is not a premise
    }
    return 0;
}
