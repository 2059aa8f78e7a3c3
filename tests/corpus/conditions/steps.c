// Others say by how much it goes on. It ends if that is something.
long step_of(void);
unsigned factor_of(void);
void work(long);

void blocks(long n) {
    long step = step_of();
    while (n > step) { //@ loop: neither; ends when `step > 0`
        work(n);
        n -= step;
    }
}

void by_the_rest(unsigned long n) {
    unsigned long step = (unsigned long)step_of();
    while (n > step) { //@ loop: neither; ends when `step != 0`
        n -= step;
    }
}

int digits(unsigned n) {
    unsigned base = factor_of();
    int count = 0;
    while (n) { //@ loop: neither
        n /= base;
        count++;
    }
    return count;
}
