// What the section lists runs before main.
//@ native: hangs
static int n = 1;

static void clear(void) {
    n = 0;
}

__attribute__((section(".init_array"), used)) static void (*const entry)(void) = clear;

int main(void) {
    while (n == 0) { //@ loop: diverges
    }
    return 0;
}
