/* 32-bit code: `inc ecx` is a prefix in 64-bit code, where this would never end. */
//@ attach: refused; 32-bit
//@ flags: -m32 -nostdlib -static -ffreestanding
__asm__(".globl _start\n"
        "_start:\n"
        "    mov $1000, %edx\n"
        "0:  xor %ecx, %ecx\n"
        "1:  .byte 0x41\n" /* inc %ecx; in 64-bit code the next line compares r9d */
        "    cmp $0x7fffffff, %ecx\n"
        "    jne 1b\n"
        "    dec %edx\n"
        "    jne 0b\n"
        "    mov $1, %eax\n"
        "    int $0x80\n");
