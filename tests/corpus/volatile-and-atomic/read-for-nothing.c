// What is read decides nothing.
volatile int port;

int main(void) {
    for (;;) { //@ loop: diverges
        (void)port;
    }
    return 0;
}
