// A stranger may call every function that it can name.
static int running = 1;
extern void events(void);

void stop(void) {
    running = 0;
}

int main(void) {
    while (running) { //@ loop: neither
        events();
    }
    return 0;
}
