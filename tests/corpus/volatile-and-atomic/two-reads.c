// Two reads of one volatile object may differ.
volatile int port;

int main(void) {
    while (port == port) { //@ loop: neither
    }
    return 0;
}
