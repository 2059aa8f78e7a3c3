// Someone else may set the flag, or may not.
volatile int stop;

int main(void) {
    while (!stop) { //@ loop: neither
    }
    return 0;
}
