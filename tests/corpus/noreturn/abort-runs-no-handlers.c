// abort runs no handlers.
int atexit(void (*)(void));
_Noreturn void abort(void);

static void linger(void) {
    for (;;) { //@ loop: terminates; absent; tool everywhere: unknown -- handlers are not followed
    }
}

int main(void) {
    if (atexit(linger) != 0) {
        return 1;
    }
    abort();
}
