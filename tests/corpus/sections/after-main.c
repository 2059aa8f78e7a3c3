// What the section lists runs when main has returned.
//@ native: hangs
static void wait(void) {
    for (;;) { //@ loop: diverges; absent; tool everywhere: unknown -- handlers are not followed
    }
}

__attribute__((section(".fini_array"), used)) static void (*const entry)(void) = wait;

int n = 3;

int main(void) {
    while (n > 0) { //@ loop: terminates
        n--;
    }
    return 0;
}
