/* Limits and rights of segments are of the process's own table. */
//@ attach: unknown; not known
#define _GNU_SOURCE
#include <asm/ldt.h>
#include <sys/syscall.h>
#include <unistd.h>

static volatile long long n = 1ll << 44;

int main(void) {
    struct user_desc segment = {.entry_number = 0, .limit = 1, .seg_32bit = 1, .useable = 1};
    syscall(SYS_modify_ldt, 1, &segment, sizeof segment);
    unsigned char there;
    do {
        unsigned limit = 0;
        __asm__ volatile("lsl %2, %0\nsetz %1" : "+r"(limit), "=r"(there) : "r"(7) : "cc");
        n--;
    } while (n > 0 || !there);
    return 0;
}
