// The same as `ud2`.
int main(void) {
    for (;;) __asm__ volatile(".byte 0x0f, 0x0b"); //@ loop: terminates; tool: unknown -- assembly is not followed
}
