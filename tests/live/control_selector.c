/* A selector is read by a move. */
//@ attach: unknown; not known
static volatile long long n = 1ll << 44;

int main(void) {
    unsigned selector = 0x2b;
    __asm__ volatile("mov %0, %%gs" ::"r"(selector));
    do {
        __asm__ volatile("mov %%gs, %0" : "=r"(selector));
        n--;
    } while (n > 0 || selector == 0);
    return 0;
}
