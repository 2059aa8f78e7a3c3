/* In a restartable sequence: when the processor is taken away the kernel goes on elsewhere, here after the loop. */
//@ attach: unknown; restartable
#include <stddef.h>
#include <sys/rseq.h>

int main(void) {
    struct rseq *area = (struct rseq *)((char *)__builtin_thread_pointer() + __rseq_offset);
    if (__rseq_size == 0)
        return 1;
    for (volatile long n = 0; n < 1l << 40; n++)
        __asm__ volatile(".pushsection __rseq_cs, \"aw\"\n"
                         ".balign 32\n"
                         "3:  .long 0, 0\n"
                         "    .quad 1f, 2f - 1f, 4f\n"
                         ".popsection\n"
                         "    leaq 3b(%%rip), %%rax\n"
                         "    movq %%rax, %0\n"
                         "1:  jmp 1b\n"
                         "2:  ud2\n"
                         "    .byte 0x0f, 0xb9, 0x3d\n"
                         "    .long 0x53053053\n"
                         "4:  nop\n"
                         : "=m"(area->rseq_cs)
                         :
                         : "rax", "memory");
    return 0;
}
