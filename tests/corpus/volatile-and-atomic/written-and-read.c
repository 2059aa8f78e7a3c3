// What was written last need not be what is read.
volatile int port;

int main(void) {
    port = 1;
    while (port) { //@ loop: neither
    }
    return 0;
}
