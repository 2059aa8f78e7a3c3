// The initial value of a weak object may be replaced when the program is linked, and may stay.
static unsigned initial = 3;
__attribute__((weak)) unsigned *where = &initial;
void by_weak_pointer(void) {
    while (initial > 0) { //@ loop: diverges when where == &initial; slow wrap; tool: unknown; tool ideal: unknown -- where a weak pointer leads is not chosen
        initial--;
        *where = 5;
    }
}
