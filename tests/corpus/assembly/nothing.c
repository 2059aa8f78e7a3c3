// Instructions that go on to the next one.
int main(void) {
    for (;;) __asm__ volatile("nop\n\tpause"); //@ loop: diverges
}
