// Each step is at least one, whatever is read.
volatile int port;

int main(void) {
    int n = 100;
    while (n > 0) { //@ loop: terminates
        n -= (port & 7) + 1;
    }
    return 0;
}
