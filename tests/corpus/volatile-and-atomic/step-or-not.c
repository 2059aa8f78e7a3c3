// Each step may be none.
volatile int port;

int main(void) {
    int n = 100;
    while (n > 0) { //@ loop: neither
        n -= port & 7;
    }
    return 0;
}
