// The compiler's own list says the same.
//@ native: hangs
static int n = 1;

__attribute__((constructor)) static void clear(void) {
    n = 0;
}

int main(void) {
    while (n == 0) { //@ loop: diverges
    }
    return 0;
}
