// The same as `ud2`.
//@ native: ends
int main(void) {
    for (;;) __asm__ volatile(".byte 0x0f, 0x0b"); //@ loop: terminates; tool everywhere: unknown -- assembly is not followed
}
