// No instruction at all.
//@ native: ends
int main(void) {
    int n = 10;
    while (n > 0) { //@ loop: terminates
        n--;
        __asm__ volatile("" : : : "memory");
    }
    return 0;
}
