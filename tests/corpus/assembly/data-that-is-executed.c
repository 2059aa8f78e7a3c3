// Bytes in the section of the program are instructions, whatever they are called; these end it.
int main(void) {
    for (;;) { //@ loop: neither
        __asm__(".byte 0x0f, 0x0b");
    }
}
