/* A 64-bit program that goes over to 32-bit code by itself. */
//@ attach: refused; 32-bit
//@ flags: -no-pie
int main(void) {
    __asm__ volatile("pushq $0x23\n"
                     "leaq 0f(%rip), %rax\n"
                     "pushq %rax\n"
                     "lretq\n"
                     ".code32\n"
                     "0:  mov $1000, %edx\n"
                     "1:  xor %ecx, %ecx\n"
                     "2:  .byte 0x41\n"
                     "    cmp $0x7fffffff, %ecx\n"
                     "    jne 2b\n"
                     "    dec %edx\n"
                     "    jne 1b\n"
                     "    mov $1, %eax\n"
                     "    int $0x80\n"
                     ".code64\n");
    return 0;
}
