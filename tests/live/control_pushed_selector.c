/* A selector is read by way of the stack. */
//@ attach: unknown; not known
static volatile long long n = 1ll << 44;

int main(void) {
    unsigned long selector = 0x2b;
    __asm__ volatile("mov %k0, %%gs" ::"r"(selector));
    do {
        __asm__ volatile("sub $128, %%rsp\npush %%gs\npop %0\nadd $128, %%rsp" : "=r"(selector)::"cc", "memory");
        n--;
    } while (n > 0 || selector == 0);
    return 0;
}
