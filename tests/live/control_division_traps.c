/* A quotient that gets too large for its register after some billions of iterations: the processor ends the program. */
//@ attach: unknown; another way is possible
int main(void) {
    for (unsigned n = 0;; n++) {
        unsigned low = 0, high = n;
        __asm__ volatile("divl %2" : "+a"(low), "+d"(high) : "r"(0xf0000000u));
    }
}
