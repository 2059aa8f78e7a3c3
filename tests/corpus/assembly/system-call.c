// It ends the program.
//@ native: ends
int main(void) {
    volatile int sink = 0;
    __asm__ volatile("syscall" : : "a"(231), "D"(0) : "rcx", "r11", "memory");
    for (;;) sink = 1; //@ loop: terminates; tool everywhere: unknown -- assembly is not followed
}
