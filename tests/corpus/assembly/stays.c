// It does not come back, in the first round.
//@ native: hangs
int main(void) {
    for (int i = 0; i < 3; i++) //@ loop: diverges; tool everywhere: unknown -- assembly is not followed
        __asm__ volatile("1: pause\n\tjmp 1b");
    return 0;
}
