/* With the AC flag an access that is not aligned traps; the emulator does not know that. */
//@ attach: refused; alignment
static volatile int ready;

int main(void) {
    __asm__ volatile("pushfq\n"
                     "orq $0x40000, (%%rsp)\n"
                     "popfq" ::: "cc", "memory");
    while (!ready)
        ;
    return 0;
}
