// Instructions that go on to the next one.
//@ native: hangs
int main(void) {
    for (;;) __asm__ volatile("nop\n\tpause"); //@ loop: diverges
}
