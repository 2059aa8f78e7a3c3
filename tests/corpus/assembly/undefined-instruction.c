// It ends the program.
//@ native: ends
int main(void) {
    for (;;) __asm__ volatile("ud2"); //@ loop: terminates; tool everywhere: unknown -- assembly is not followed
}
