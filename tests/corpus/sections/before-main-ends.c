// What the section lists runs before main.
//@ native: ends
static int n;

static void set(void) {
    n = 1;
}

__attribute__((section(".init_array"), used)) static void (*const entry)(void) = set;

int main(void) {
    while (n == 0) { //@ loop: terminates
    }
    return 0;
}
