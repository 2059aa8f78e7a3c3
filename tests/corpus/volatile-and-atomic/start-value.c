// Whatever is read, it is read once.
volatile int port;

int main(void) {
    int x = port;
    while (x > 0) { //@ loop: terminates
        x--;
    }
    return 0;
}
