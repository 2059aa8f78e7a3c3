// No assembler needs a line feed, no processor locks what is no access, and some registers are not for everybody.
//@ native: ends
int n;

int main(void) {
    if (n == 1) {
        for (;;) { //@ loop: terminates
            __asm__ volatile("lock; nop");
        }
    }
    if (n == 2) {
        for (;;) { //@ loop: terminates
            __asm__ volatile("mov %%cr0, %%rax" : : : "rax");
        }
    }
    return 0;
}
