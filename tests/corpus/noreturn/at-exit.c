// main returns, and the program is still not over.
int atexit(void (*)(void));

static int done = 0;

static void linger(void) {
    while (!done) { //@ loop: diverges; tool everywhere: unknown -- handlers are not followed
    }
}

int main(void) {
    if (atexit(linger) != 0) {
        return 1;
    }
    return 0;
}
