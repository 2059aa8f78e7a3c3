// Whether the loop is reached is not for the program to choose.
volatile int port;

int main(void) {
    if (port) {
        for (;;) { //@ loop: neither
        }
    }
    return 0;
}
