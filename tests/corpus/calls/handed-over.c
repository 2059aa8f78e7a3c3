// A function that is handed over may be called then, or later, and what it stores behind a pointer counts.
static int *kept;
extern void later(void (*f)(void));

static void clear(void) {
    *kept = 0;
}

int main(void) {
    int x = 1;
    kept = &x;
    later(clear);
    while (x) { //@ loop: neither
    }
    return 0;
}
