/* Waits for a flag that nobody sets. */
//@ attach: proved
static volatile int ready;

int main(void) {
    while (!ready)
        ;
    return 0;
}
