// A debugger, or a handler of the signal, lets the program go on.
int ready(void);

void wait_for(int n) {
    while (n > 0) { //@ loop: neither
        if (ready()) {
            n--;
        } else {
            __builtin_debugtrap();
        }
    }
}
